import { createHash, randomBytes } from 'node:crypto'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { bearer, type Headers } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'

// The probe has one route for every kind of credential of the interface. Families whose routes are not there
// yet are let in by the same field of the contract and the same code, so what holds here holds for them.

const adminKey = randomBytes(24).toString('hex')
const server = useServer('probe', {
  ADMIN_KEY_DIGESTS: createHash('sha256').update(adminKey).digest('hex'),
})
const at = new World(server)
const paths = {
  memory: '/api/v1/probe/auth/things',
  member: '/api/v1/probe/auth/member',
  session: '/api/v1/probe/auth/session',
  platform: '/api/v1/probe/auth/platform',
  read: (brand: number) => `/api/v1/probe/auth/brands/${brand}/read`,
  admin: (brand: number) => `/api/v1/probe/auth/brands/${brand}/admin`,
  role: (brand: number) => `/api/v1/probe/auth/brands/${brand}/role`,
}
type Answer = [number, Record<string, unknown>]

async function ask(path: string, headers: Headers, method = 'GET', sent?: unknown): Promise<Answer> {
  const { status, body } = await at.call<Record<string, unknown>>(null, method, path, sent, headers)
  return [status, body]
}
const post = (path: string, headers: Headers, body: unknown = { name: 'x' }) =>
  ask(path, headers, 'POST', body)
const unauthenticated = [401, { detail: 'Not authenticated' }]
const malformed = ['', 'Bearer', 'Bearer ', 'Bearer chp_short', 'Basic eDp5', `Bearer chp_${'0'.repeat(36)}`]

test('AUTH-01 the scheme may be written in any case, the token only in its own', async () => {
  const token = await at.newToken(await at.join(await at.newBrand(), 'member'))
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    expect((await ask(paths.member, { authorization: `${scheme} ${token}` }))[0]).toBe(200)
  }
  expect(await ask(paths.member, bearer(token.toUpperCase()))).toEqual(unauthenticated)
  expect(await ask(paths.member, bearer(`chp_${token.slice(4).toLowerCase()}`))).toEqual(unauthenticated)
})

test('AUTH-02 one token is the credential of settings, profiles, memory, updates and boards', async () => {
  const member = await at.join(await at.newBrand(), 'admin')
  const token = await at.newToken(member, ['brand:read', 'brand:admin', 'memory:read'])
  const { brand_id } = member
  const asked = [
    await ask(paths.read(brand_id), bearer(token)),
    await ask(paths.admin(brand_id), bearer(token), 'PUT'),
    await ask(paths.role(brand_id), bearer(token), 'PUT'),
    await ask(paths.memory, bearer(token)),
    await ask(paths.member, bearer(token)),
  ]
  expect(asked.map(([status, body]) => [status, body.brand_id])).toEqual(asked.map(() => [200, brand_id]))
})

test.each([
  ['AUTH-09 workspace settings', 'read', 'GET'],
  ['AUTH-09 changes of workspace settings', 'admin', 'PUT'],
  ['AUTH-10 coder profile changes and machine updates', 'role', 'PUT'],
] as const)('%s answer 401 with no token and with an invalid one', async (_, family, method) => {
  const brand_id = await at.newBrand()
  expect(await ask(paths[family](brand_id), {}, method)).toEqual(unauthenticated)
  for (const authorization of malformed) {
    expect(await ask(paths[family](brand_id), { authorization }, method)).toEqual(unauthenticated)
  }
})

test('AUTH-10 AUTH-12 AUTH-G4 profile reads and board routes answer 401 without a token, and name the scheme', async () => {
  for (const authorization of [undefined, ...malformed]) {
    const headers = authorization === undefined ? {} : { authorization }
    const response = await server.get(paths.member, { headers })
    expect([response.status, await response.json()]).toEqual(unauthenticated)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  }
})

test.each([
  ['revoked', 'revoked_at = now()'],
  ['expired', 'expires_at = now()'],
])('AUTH-11 memory routes answer 401 for a token that was just %s', async (_, change) => {
  const member = await at.join(await at.newBrand(), 'member')
  const [made] = await at.newTokens(member, ['memory:read'], 1)
  const headers = bearer(made?.token ?? '')
  // Twice, so that the process knows the caller and would answer from memory.
  for (const _ of [1, 2]) expect((await ask(paths.memory, headers))[0]).toBe(200)
  await at.sql(`update identity.tokens set ${change} where id = $1`, [made?.id])
  expect(await ask(paths.memory, headers)).toEqual(unauthenticated)
})

test('AUTH-11 memory routes answer 401 for a malformed token', async () => {
  for (const authorization of malformed) {
    expect(await ask(paths.memory, { authorization })).toEqual(unauthenticated)
  }
})

test('AUTH-05 AUTH-G7 a session of any member is the credential of workstations, environments and hire', async () => {
  const member = await at.join(await at.newBrand(), 'member')
  const cookie = await at.newCookie(member.person_id, member.brand_id)
  expect(await post(paths.session, { cookie })).toMatchObject([200, { ...member, role: 'member' }])
})

test('AUTH-13 AUTH-G2 workstation, environment and hire routes answer 401 without a valid session', async () => {
  const member = await at.join(await at.newBrand(), 'admin')
  const token = await at.newToken(member, ['brand:read', 'brand:admin'])
  const ended = await at.newCookie(member.person_id, member.brand_id)
  expect((await post(paths.session, { cookie: ended }))[0]).toBe(200)
  await at.sql('delete from identity.sessions where person_id = $1', [member.person_id])
  for (const headers of [{}, bearer(token), { cookie: ended }, { cookie: 'crewhall_session=made-up' }]) {
    expect(await post(paths.session, headers)).toEqual(unauthenticated)
  }
})

test('AUTH-06 with a session a brand_id in body, query or header is ignored', async () => {
  const mine = await at.join(await at.newBrand(), 'member')
  const other = await at.join(await at.newBrand(), 'admin', mine.person_id)
  const cookie = await at.newCookie(mine.person_id, mine.brand_id)
  const named = String(other.brand_id)
  const headers = { cookie, 'x-brand-id': named, brand_id: named, 'brand-id': named }
  const body = { name: 'x', brand_id: other.brand_id }
  expect(await post(`${paths.session}?brand_id=${named}`, headers, body)).toMatchObject([
    200,
    { brand_id: mine.brand_id, role: 'member' },
  ])
})

test('AUTH-G2 a session is taken on token routes by its role alone', async () => {
  const [admin, member] = [
    await at.join(await at.newBrand(), 'admin'),
    await at.join(await at.newBrand(), 'member'),
  ]
  for (const { person_id, brand_id } of [admin, member]) {
    const cookie = await at.newCookie(person_id, brand_id)
    expect((await ask(paths.memory, { cookie }))[0]).toBe(200)
    const changed = await ask(paths.admin(brand_id), { cookie }, 'PUT')
    expect(changed[0]).toBe(person_id === admin.person_id ? 200 : 403)
  }
})

test('AUTH-G1 a session write that another site made a browser send is refused', async () => {
  const member = await at.join(await at.newBrand(), 'admin')
  const cookie = await at.newCookie(member.person_id, member.brand_id)
  const [status] = await post(paths.session, { cookie, origin: 'https://evil.test' })
  expect(status).toBe(403)
})

test('AUTH-07 the admin key authorises an admin grant, and a wrong one does not', async () => {
  expect(await post(paths.platform, { 'x-admin-key': adminKey })).toEqual([200, { actor: 'admin_key' }])
  for (const key of ['', 'wrong', adminKey.slice(1), `${adminKey}0`]) {
    expect(await post(paths.platform, { 'x-admin-key': key })).toEqual(unauthenticated)
  }
  expect(await post(paths.platform, {})).toEqual(unauthenticated)
})

test('AUTH-08 a session of platform staff authorises an admin grant, a workspace admin does not', async () => {
  const staff = await at.newPerson(true)
  const cookie = await at.newCookie(staff, null)
  expect(await post(paths.platform, { cookie })).toEqual([200, { actor: 'person' }])
  const admin = await at.join(await at.newBrand(), 'admin')
  const theirs = await at.newCookie(admin.person_id, admin.brand_id)
  expect(await post(paths.platform, { cookie: theirs })).toEqual([
    403,
    { detail: 'Platform admin access required' },
  ])
})

test('AUTH-G3 with a session and an admin key the key decides, and a wrong key is 401', async () => {
  const cookie = await at.newCookie(await at.newPerson(true), null)
  expect(await post(paths.platform, { cookie, 'x-admin-key': adminKey })).toEqual([
    200,
    { actor: 'admin_key' },
  ])
  expect(await post(paths.platform, { cookie, 'x-admin-key': 'wrong' })).toEqual(unauthenticated)
})

test('AUTH-G15 the token of a removed member is 401, as an invalid one', async () => {
  const member = await at.join(await at.newBrand(), 'member')
  const token = await at.newToken(member, ['memory:read'])
  for (const path of [paths.member, paths.memory]) expect((await ask(path, bearer(token)))[0]).toBe(200)
  await at.sql(`update identity.memberships set status = 'removed' where person_id = $1`, [member.person_id])
  for (const path of [paths.member, paths.memory])
    expect(await ask(path, bearer(token))).toEqual(unauthenticated)
})

test('AUTH-G16 a person outside the workspace cannot hold a token of it', async () => {
  const brand_id = await at.newBrand()
  const guest = await at.join(await at.newBrand(), 'member')
  await expect(at.newToken({ brand_id, person_id: guest.person_id })).rejects.toThrow(
    'tokens_membership_fkey',
  )
  const cookie = await at.newCookie(guest.person_id, guest.brand_id)
  const asked = await post(`/api/v1/brands/${brand_id}/tokens`, { cookie }, { name: 'guest', scopes: [] })
  expect(asked).toEqual([404, { detail: 'Brand not found' }])
})
