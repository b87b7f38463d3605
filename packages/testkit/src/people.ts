import { randomBytes } from 'node:crypto'

export interface SignedUp {
  readonly email: string
  readonly password: string
  readonly cookie: string
  readonly brand_id: number
  readonly person_id: number
}

type Get = (path: string, init?: RequestInit) => Promise<Response>

export const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** A form with one file in it. `type` is what the sender says it is. */
export function formOf(field: string, bytes: Uint8Array, name = 'picture.png', type = ''): FormData {
  const form = new FormData()
  form.append(field, new Blob([bytes as Uint8Array<ArrayBuffer>], { type }), name)
  return form
}

export const cookieOf = (response: Response): string =>
  response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''

export const newEmail = (): string => `p${randomBytes(6).toString('hex')}@example.test`

/** A new person with a workspace of their own, by the public route. */
export async function signUp(get: Get, brandName = 'Workspace'): Promise<SignedUp> {
  const email = newEmail()
  const password = 'correct horse battery'
  const response = await get(
    '/api/v1/auth/sign-up',
    json({ email, password, full_name: 'Ann Example', brand_name: brandName }),
  )
  const me = (await response.json()) as { brand_id: number; person: { id: number } }
  if (response.status !== 201) throw new Error(`sign-up answered ${response.status}: ${JSON.stringify(me)}`)
  return { email, password, cookie: cookieOf(response), brand_id: me.brand_id, person_id: me.person.id }
}

/** A token of that person, made with their session. */
export async function newToken(
  get: Get,
  owner: SignedUp,
  scopes: readonly string[],
): Promise<{ id: string; token: string }> {
  const response = await get(
    `/api/v1/brands/${owner.brand_id}/tokens`,
    json({ name: 'test', scopes }, { cookie: owner.cookie }),
  )
  const body = (await response.json()) as { id: string; token: string }
  if (response.status !== 201)
    throw new Error(`token was answered ${response.status}: ${JSON.stringify(body)}`)
  return body
}
