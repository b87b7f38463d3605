import { createHash } from 'node:crypto'
import { json, newEmail, type SignedUp, signUp } from '@crewhall/testkit/people.ts'
import { runProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { digestOf } from '@crewhall/testkit/world/secrets.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'

const key = 'admin-key-of-this-test'
const server = useServer('product', {
  ADMIN_KEY_DIGESTS: createHash('sha256').update(key).digest('hex'),
  HTTP_TRUST_PROXY: '127.0.0.1',
  AUTH_TRIES_PER_ADDRESS: '15',
})
const at = new World(server)
const get = (path: string, init?: RequestInit) => server.get(path, init)

interface Entry {
  readonly id: string
  readonly action: string
  readonly person_id: number | null
  readonly from: unknown
  readonly to: unknown
  readonly actor: { readonly kind: string; readonly person_id: number | null }
  readonly network: string | null
  readonly request_id: string | null
}
interface Page {
  readonly items: Entry[]
  readonly next_before: number | null
}

async function read(query = '', headers: Record<string, string> = { 'x-admin-key': key }) {
  const response = await get(`/api/v1/admin/audit${query}`, { headers })
  return {
    status: response.status,
    text: await response.clone().text(),
    body: (await response.json()) as Page,
  }
}
/** What is told of a person, oldest first. */
const of = async ({ person_id }: SignedUp) => {
  const { items } = (await read(`?person=${person_id}`)).body
  return items.toReversed().map(({ action, actor }) => `${action} by ${actor.kind}:${actor.person_id}`)
}
const signIn = (email: string, password: string, network = '192.0.2.1') =>
  get('/api/v1/auth/sign-in', json({ email, password }, { 'x-forwarded-for': network }))

test('S13: signing in and out, a reset and its request are told, with ids and nothing that is secret', async () => {
  const person = await signUp(get)
  const own = `person:${person.person_id}`
  await get('/api/v1/auth/sign-out', { method: 'POST', headers: { cookie: person.cookie } })
  expect((await signIn(person.email, person.password)).status).toBe(200)
  await get('/api/v1/auth/password-reset', json({ email: person.email }))
  await waitFor(async () => (await of(person)).length === 4, 20_000)
  await at.sql(
    `insert into identity.password_resets (token_hash, person_id, expires_at) values ($1, $2, now() + interval '1 hour')`,
    [digestOf('a-link'), person.person_id],
  )
  const body = { token: 'a-link', password: 'another horse entirely' }
  expect((await get('/api/v1/auth/password-reset/confirm', json(body))).status).toBe(200)
  expect(await of(person)).toEqual([
    `session.started by ${own}`,
    `session.ended by ${own}`,
    `session.started by ${own}`,
    'password.reset_requested by nobody:null',
    `password.reset by ${own}`,
  ])
  const { text, body: page } = await read(`?person=${person.person_id}`)
  for (const secret of [
    person.email,
    person.password,
    'a-link',
    'another horse',
    person.cookie.split('=')[1] ?? '-',
  ])
    expect(text).not.toContain(secret)
  expect(page.items.every(({ request_id }) => request_id !== null)).toBe(true)
})

test('S13: of many guesses at an account two are told, and none at an account that does not exist', async () => {
  const person = await signUp(get)
  const network = '192.0.2.77'
  for (let n = 0; n < 12; n += 1) await signIn(person.email, 'a wrong guess', network)
  const guesses = await waitFor(async () => {
    const { items } = (await read(`?person=${person.person_id}`)).body
    const found = items.filter(({ action }) => action.startsWith('sign_in.'))
    return found.length > 1 && found
  }, 20_000)
  expect(guesses.map(({ action, network, actor }) => [action, network, actor.kind])).toEqual([
    ['sign_in.locked', network, 'nobody'],
    ['sign_in.failed', network, 'nobody'],
  ])
  const stranger = '192.0.2.78'
  for (let n = 0; n < 20; n += 1) await signIn(newEmail(), 'x', stranger)
  const told = await waitFor(async () => {
    const found = (await read('?limit=100')).body.items.filter((entry) => entry.network === stranger)
    return found.length > 0 && found
  }, 20_000)
  expect(told.map(({ action, person_id }) => [action, person_id])).toEqual([['network.locked', null]])
})

test('S13: platform admins made and unmade and changed plans are told once, with who did it', async () => {
  const [one, two] = [await signUp(get), await signUp(get)]
  const change = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    at.call(null, method, `/api/v1/admin${path}`, body, headers)
  const byKey = { 'x-admin-key': key }
  await at.sql('update identity.people set email_verified = true where id = any($1::int[])', [
    [one.person_id, two.person_id],
  ])
  for (const _ of [1, 2]) expect((await change('PUT', `/staff/${one.person_id}`, byKey)).status).toBe(200)
  expect((await change('PUT', `/staff/${two.person_id}`, { cookie: one.cookie })).status).toBe(200)
  expect((await change('DELETE', `/staff/${two.person_id}`, { cookie: one.cookie })).status).toBe(200)
  const staff = async (who: SignedUp) => (await of(who)).filter((told) => told.startsWith('staff.'))
  expect(await staff(one)).toEqual(['staff.appointed by admin_key:null'])
  const byOne = `by person:${one.person_id}`
  expect(await staff(two)).toEqual([`staff.appointed ${byOne}`, `staff.dismissed ${byOne}`])
  const plan = { name: 'Free of charge', features: ['skills'], desk_cap: 1, source_cap: 1 }
  for (const _ of [1, 2]) expect((await change('PUT', '/plans/free', byKey, plan)).status).toBe(200)
  const plans = (await read()).body.items.filter(({ action }) => action === 'plan.changed')
  expect(plans).toMatchObject([{ from: { name: 'Free', desk_cap: 2 }, to: { key: 'free', ...plan } }])
})

test('S13: a platform admin made on the machine is told', async () => {
  await signUp(get)
  const before = (await read()).body.items[0]?.id ?? '0'
  const database_url = server.database.url
  const args = ['--email', newEmail(), '--name', 'Ann']
  await runProcess({ entry: 'apps/server/src/create-staff.ts', database_url, args })
  const made = (await read()).body.items.filter(({ id }) => Number(id) > Number(before))
  expect(made).toMatchObject([{ action: 'staff.appointed', actor: { kind: 'system', person_id: null } }])
})

test('S13: only platform admins read it, a page at a time', async () => {
  const person = await signUp(get)
  expect((await read('', {})).status).toBe(401)
  expect((await read('', { cookie: person.cookie })).status).toBe(403)
  const first = (await read('?limit=2')).body
  expect(first.items).toHaveLength(2)
  const second = (await read(`?limit=2&before=${first.next_before}`)).body
  const ids = [...first.items, ...second.items].map(({ id }) => Number(id))
  expect(ids).toEqual(ids.toSorted((a, b) => b - a))
  expect(new Set(ids).size).toBe(ids.length)
})

test('S13: the role of the product can neither change nor delete what is told, and sweeps only what is past its time', async () => {
  for (const sql of [
    'update identity.platform_entries set action = $1',
    'delete from identity.platform_entries where action = $1',
  ])
    await expect(server.sql(sql, ['x'])).rejects.toMatchObject({ code: '42501' })
  const owner = await server.connection('owner')
  await owner.query(
    `insert into identity.platform_entries (action, actor_kind, created_at) values ('old.fact', 'system', now() - interval '40 months')`,
  )
  const sweep = async (months: number) =>
    (await server.sql('select identity.sweep_platform_entries($1, 100) as swept', [months]))[0]?.swept
  expect([await sweep(0), await sweep(36), await sweep(36)]).toEqual([0, 1, 0])
})
