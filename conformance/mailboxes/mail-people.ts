import { randomBytes } from 'node:crypto'
import { cookieOf, json } from '@crewhall/testkit/people.ts'
import { call } from '@crewhall/testkit/world/call.ts'

export type Get = (path: string, init?: RequestInit) => Promise<Response>

export interface MailPerson {
  readonly person_id: number
  readonly brand_id: number
  readonly cookie: string
  /** A token without any scopes, valid for longer than forwarding and quarantine together. */
  readonly headers: Readonly<Record<string, string>>
}

export const newName = (): string => `n${randomBytes(6).toString('hex')}`

export async function newMailPerson(get: Get, local = newName()): Promise<MailPerson> {
  const { status, headers, body } = await signUpAs(get, `${local}@example.test`)
  if (status !== 201) throw new Error(`sign-up answered ${status}`)
  const me = body as { brand_id: number; person: { id: number } }
  const person = { person_id: me.person.id, brand_id: me.brand_id, cookie: headers.cookie ?? '' }
  return { ...person, headers: await tokenHeaders(get, person, []) }
}

export async function signUpAs(get: Get, email: string) {
  const password = 'correct horse battery'
  const order = { email, password, full_name: 'Ann Example', brand_name: 'Workspace' }
  const response = await get('/api/v1/auth/sign-up', json(order))
  const headers: Record<string, string> = { cookie: cookieOf(response) }
  return { status: response.status, headers, body: (await response.json()) as unknown }
}

export async function tokenHeaders(
  get: Get,
  { brand_id, cookie }: { readonly brand_id: number; readonly cookie: string },
  scopes: readonly string[],
): Promise<Record<string, string>> {
  const order = { name: 'mail', scopes, expires_in_days: 366 }
  const response = await get(`/api/v1/brands/${brand_id}/tokens`, json(order, { cookie }))
  const { token } = (await response.json()) as { token: string }
  if (response.status !== 201) throw new Error(`the token was answered ${response.status}`)
  return { authorization: `Bearer ${token}` }
}

type Caller = Pick<MailPerson, 'headers'>

const asked = (get: Get, { headers }: Caller, method: string, query = '', body?: unknown) =>
  call<Record<string, unknown>>(get, null, method, `/api/v1/me/mail/address${query}`, body, headers)

export const rename = (get: Get, caller: Caller, body: unknown) => asked(get, caller, 'PUT', '', body)

export const availability = (get: Get, caller: Caller, name: string) =>
  asked(get, caller, 'GET', `/availability?${new URLSearchParams({ name })}`)

export const ownAddress = (get: Get, caller: Caller) => asked(get, caller, 'GET')

/** Renames and insists. */
export async function renamed(get: Get, person: Caller, name: string) {
  const { status, body } = await rename(get, person, { name })
  if (status !== 200) throw new Error(`rename to ${name} was answered ${status}: ${JSON.stringify(body)}`)
  return body as { address: string; forwarding_from: string; forwards_until: string }
}
