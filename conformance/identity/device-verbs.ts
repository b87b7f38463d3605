import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { userCodeLetters } from '@crewhall/contracts/identity/device.ts'
import type { Headers } from '@crewhall/testkit/world/call.ts'
import type { World } from '@crewhall/testkit/world/world.ts'

export interface Waiting {
  readonly device_code: string
  readonly user_code: string
}
export interface Started extends Waiting {
  readonly verification_uri: string
  readonly verification_uri_complete: string
  readonly expires_in: number
  readonly interval: number
}
export interface Credential {
  readonly token_type: 'Bearer' | 'Cookie'
  readonly access_token: string
  readonly cookie_name: string | null
  readonly expires_at: string
  readonly scopes: string[] | null
  readonly brand_id: number | null
}
export interface Told {
  readonly detail: { readonly error: string; readonly interval?: number } | string
}

export const device = '/api/v1/auth/device'
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
export const errorOf = ({ body }: { body: unknown }): string => {
  const { detail } = body as Told
  return typeof detail === 'string' ? detail : detail.error
}
export const cookieOf = ({ cookie_name, access_token }: Credential): string =>
  `${cookie_name}=${access_token}`

export function deviceVerbs(world: World) {
  const start = (asked: object = {}, more?: Headers) =>
    world.made<Started>(null, 'POST', `${device}/code`, asked, more)
  const poll = ({ device_code }: Waiting, more?: Headers) =>
    world.call<Credential>(null, 'POST', `${device}/token`, { device_code }, more)
  const show = (cookie: string, user_code: string, more?: Headers) =>
    world.call<Record<string, unknown>>(
      { cookie },
      'GET',
      `${device}/approve?user_code=${encodeURIComponent(user_code)}`,
      undefined,
      more,
    )
  const decide = (cookie: string, { user_code }: Waiting, decision = 'approve', more: object = {}) =>
    world.call({ cookie }, 'POST', `${device}/approve`, { user_code, decision, ...more })
  /** A person of a workspace of their own, and their cookie. */
  const newPerson = async (role: 'admin' | 'member' = 'admin') => {
    const brand_id = await world.newBrand()
    const { person_id } = await world.join(brand_id, role)
    return { brand_id, person_id, cookie: await world.newCookie(person_id, brand_id) }
  }
  /** As if a program had asked: a network may do that only so often. */
  const plant = async (lasts = '10 minutes'): Promise<Waiting> => {
    const device_code = randomUUID()
    const user_code = [...randomBytes(8)].map((byte) => userCodeLetters[byte % 20]).join('')
    await world.sql(
      `insert into identity.device_codes (id, device_digest, user_digest, network, interval_seconds, expires_at)
       values (gen_random_uuid(), decode($1, 'hex'), decode($2, 'hex'), '192.0.2.1', 5, clock_timestamp() + $3::interval)`,
      [digestOf(device_code), digestOf(user_code), lasts],
    )
    return { device_code, user_code }
  }
  /** Makes a code older. */
  const age = ({ device_code }: Waiting, by: string) =>
    world.sql(
      `update identity.device_codes set expires_at = expires_at - $2::interval, polled_at = polled_at - $2::interval
       where device_digest = decode($1, 'hex')`,
      [digestOf(device_code), by],
    )
  return { start, poll, show, decide, newPerson, plant, age }
}
