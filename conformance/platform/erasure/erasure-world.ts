import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { cookieOf, formOf, json } from '@crewhall/testkit/people.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import type { TestServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Answer, Credential, Headers } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import type pg from 'pg'
import { afterAll, beforeAll } from 'vitest'

const adminKey = 'the-key-of-this-test'
/** Nothing listens there: what is told stays in the outbox. */
const hookUrl = 'http://127.0.0.1:9/hook'
export const erasureEnv = {
  ADMIN_KEY_DIGESTS: createHash('sha256').update(adminKey).digest('hex'),
  ERASURE_SETTLE_SECONDS: '0',
  OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  AUTH_TRIES_PER_ADDRESS: '1000',
}
/** By the key of the installation. */
export const operator = { admin_key: adminKey }
export const password = 'correct horse battery'

export interface Person {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly cookie: string
  readonly home: number
}
export interface Erased {
  readonly status: string
  readonly due_at: string
  readonly finished_at: string | null
  readonly waits_for: number[]
}
export type Body = { readonly id: string } & Readonly<Record<string, unknown>>

/** A word that stands nowhere by chance. */
export const newWord = (what: string): string => `${what}${randomBytes(5).toString('hex')}`

/** Everything over HTTP, as people would do it; SQL only for what they get by mail. */
export function useErasureWorld(server: TestServer) {
  let admin: pg.Client | undefined
  const need = (): pg.Client => {
    if (!admin) throw new Error('the database is open only while tests run')
    return admin
  }
  beforeAll(async () => {
    admin = await server.connection('superuser')
  })
  afterAll(() => admin?.end())

  const world = new World(server)
  const call = <T = Body>(
    by: Credential,
    method: string,
    path: string,
    body?: unknown,
    more?: Headers,
  ): Promise<Answer<T>> => world.call<T>(by, method, `/api/v1${path}`, body, more)
  const made = (
    by: Credential,
    method: string,
    path: string,
    body?: unknown,
    more?: Headers,
  ): Promise<Body> => world.made<Body>(by, method, `/api/v1${path}`, body, more)

  async function signUp(name: string, brand_name = 'A workspace', email?: string): Promise<Person> {
    const given = { email: email ?? `${newWord('p')}@example.test`, password, full_name: name, brand_name }
    const response = await server.get('/api/v1/auth/sign-up', json(given))
    const me = (await response.json()) as { brand_id: number; person: { id: number } }
    if (response.status !== 201) throw new Error(`sign-up was answered ${response.status}`)
    await need().query('update identity.people set email_verified = true where id = $1', [me.person.id])
    const { id } = me.person
    return { id, name, email: given.email, cookie: cookieOf(response), home: me.brand_id }
  }
  const actIn = (person: Person, brand_id: number) => made(person, 'PUT', '/me/brand', { brand_id })

  /** By an invitation; the person acts for the workspace from then on. */
  async function join(owner: Person, person: Person, role = 'member'): Promise<void> {
    const invited = { email: person.email, role }
    const { id } = await made(owner, 'POST', `/brands/${owner.home}/invitations`, invited)
    const secret = randomBytes(32).toString('base64url')
    await need().query(`update workspaces.invitations set token_hash = $2, delivery = 'sent' where id = $1`, [
      id,
      createHash('sha256').update(secret).digest('hex'),
    ])
    await made(person, 'POST', '/invitations/accept', { token: secret })
    await actIn(person, owner.home)
  }
  /** Admins give pictures. */
  const givePhoto = (by: Person, of = by) => upload(by, `/brands/${by.home}/members/${of.id}/photo`)
  /** With a photo. */
  async function orderDesk(by: Person, desk: { name: string; description: string }): Promise<void> {
    const { workstation_id } = await made(by, 'POST', '/workstations', desk)
    await upload(by, `/environments/${workstation_id}/image`)
  }
  const attach = (by: Person, card_id: unknown) => upload(by, `/board/tasks/${card_id}/attachments`, 201)
  async function upload(by: Person, path: string, expected = 200): Promise<void> {
    const form = formOf('file', png({ width: 8, height: 8 }))
    const { status } = await server.get(`/api/v1${path}`, {
      method: 'POST',
      headers: { cookie: by.cookie },
      body: form,
    })
    if (status !== expected) throw new Error(`the file was answered ${status}`)
  }
  const newBoard = async (by: Person, name: string) => {
    const key = [...randomBytes(8)].map((byte) => String.fromCharCode(65 + (byte % 26))).join('')
    return made(by, 'POST', '/board/boards', { name, key })
  }
  const watch = (by: Person) => made(by, 'POST', '/webhooks', { url: hookUrl, events: ['*'] })
  const keyed = () => ({ 'idempotency-key': randomUUID() })

  const erasureOf = async (path: string): Promise<Erased | null> =>
    (await call<{ erasure: Erased | null }>(operator, 'GET', `/admin/${path}/erasure`)).body.erasure
  const done = (path: string, limitMs = 40_000): Promise<Erased> =>
    waitFor(async () => {
      const erasure = await erasureOf(path)
      return erasure?.status === 'done' && erasure
    }, limitMs)

  return {
    call,
    made,
    signUp,
    actIn,
    join,
    givePhoto,
    attach,
    orderDesk,
    newBoard,
    watch,
    keyed,
    erasureOf,
    done,
    get admin() {
      return need()
    },
  }
}
