import { defaultCeiling } from '@crewhall/contracts/scopes.ts'
import { json } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { type Member, World } from '@crewhall/testkit/world/world.ts'
import { describe, expect, test } from 'vitest'

// Scopes and roles on the probe's routes, one for every family of the interface. Routes of a family that are
// not there yet declare the same auth in their contract and are let in by the same code.

const server = useSharedServer('probe')
const at = new World(server)
const things = '/api/v1/probe/auth/things'
const near = '/api/v1/probe/auth/things:near'
const member = '/api/v1/probe/auth/member'
const inBrand = (brand: number | string, what: string) => `/api/v1/probe/auth/brands/${brand}/${what}`
type Answer = [number, Record<string, unknown>]

async function ask(token: string, path: string, method = 'GET'): Promise<Answer> {
  const sent = method === 'POST' ? { name: 'x' } : undefined
  const { status, body } = await at.call<Record<string, unknown>>({ token }, method, path, sent)
  return [status, body]
}
const status = async (token: string, path: string, method = 'GET') => (await ask(token, path, method))[0]
const detail = async (token: string, path: string, method = 'GET') => {
  const [status, body] = await ask(token, path, method)
  return [status, body.detail]
}
const joined = async (role: 'admin' | 'member', ceiling?: readonly string[]): Promise<Member> =>
  at.join(await at.newBrand(ceiling), role)

test('AUTH-14 AUTH-26 a plain member reads switches with brand:read, in a workspace with the default ceiling', async () => {
  const plain = await joined('member', defaultCeiling)
  const path = inBrand(plain.brand_id, 'read')
  expect(await ask(await at.newToken(plain, ['brand:read']), path)).toMatchObject([200, plain])
  expect(await status(await at.newToken(plain, ['memory:read']), path)).toBe(403)
})

describe.each([
  'AUTH-15 changing a switch',
  'AUTH-16 every member route, also for one’s own record,',
  'AUTH-17 every guest route',
])('%s', (name) => {
  const id = name.split(' ')[0]
  test(`${id} needs the admin role and brand:admin, and either alone is 403`, async () => {
    const [admin, plain] = [await joined('admin'), await joined('member')]
    const ask = async (who: Member, scopes: string[]) =>
      detail(await at.newToken(who, scopes), inBrand(who.brand_id, 'admin'), 'PUT')
    expect(await ask(admin, ['brand:admin'])).toEqual([200, undefined])
    expect(await ask(admin, ['brand:read', 'memory:write'])).toEqual([
      403,
      'Token lacks scope brand:admin; the workspace policy allows it',
    ])
    expect(await ask(plain, ['brand:admin'])).toEqual([403, 'Brand admin access required'])
  })
})

test('AUTH-30 a member is told that the workspace’s admin role is required', async () => {
  const plain = await joined('member')
  const token = await at.newToken(plain, ['brand:admin'])
  const refused = [403, 'Brand admin access required']
  expect(await detail(token, inBrand(plain.brand_id, 'admin'), 'PUT')).toEqual(refused)
  expect(await detail(token, inBrand(plain.brand_id, 'role'), 'PUT')).toEqual(refused)
})

test('AUTH-18 own mail routes take a token without scopes and act on its own person', async () => {
  const brand_id = await at.newBrand()
  const [ann, ben] = [await at.join(brand_id, 'member'), await at.join(brand_id, 'admin')]
  for (const who of [ann, ben]) {
    const path = `${member}?person_id=${ann.person_id}`
    expect(await ask(await at.newToken(who), path)).toMatchObject([200, { person_id: who.person_id }])
  }
})

test.each(['AUTH-19 machine updates', 'AUTH-21 profile change and reset'])(
  '%s need the admin role, with any scopes',
  async () => {
    const [admin, plain] = [await joined('admin'), await joined('member')]
    const ask = async (who: Member, scopes: string[]) =>
      status(await at.newToken(who, scopes), inBrand(who.brand_id, 'role'), 'PUT')
    for (const scopes of [[], ['memory:read'], ['brand:admin']]) {
      expect([scopes, await ask(admin, scopes), await ask(plain, scopes)]).toEqual([scopes, 200, 403])
    }
  },
)

test('AUTH-20 AUTH-G6 profile reads and board routes are open to any active member with any scopes', async () => {
  for (const role of ['admin', 'member'] as const) {
    const who = await joined(role)
    for (const scopes of [[], ['code:read']]) {
      expect(await ask(await at.newToken(who, scopes), member)).toMatchObject([200, who])
    }
  }
})

test('AUTH-22 AUTH-23 AUTH-G5 reading and writing memory need a scope each, of any member; neither implies the other', async () => {
  const plain = await joined('member')
  const [reads, writes] = [
    await at.newToken(plain, ['memory:read']),
    await at.newToken(plain, ['memory:write']),
  ]
  expect(await status(reads, things)).toBe(200)
  expect(await status(writes, things, 'POST')).toBe(201)
  expect(await detail(writes, things)).toEqual([
    403,
    'Token lacks scope memory:read; the workspace policy allows it',
  ])
  expect(await detail(reads, things, 'POST')).toEqual([
    403,
    'Token lacks scope memory:write; the workspace policy allows it',
  ])
})

test('AUTH-24 near needs memory:read and code:read, and either alone is 403', async () => {
  const plain = await joined('member')
  expect(await status(await at.newToken(plain, ['memory:read', 'code:read']), near)).toBe(200)
  for (const [held, missing] of [
    ['memory:read', 'code:read'],
    ['code:read', 'memory:read'],
  ] as const) {
    expect(await detail(await at.newToken(plain, [held]), near)).toEqual([
      403,
      `Token lacks scope ${missing}; the workspace policy allows it`,
    ])
  }
})

test('AUTH-28 AUTH-29 AUTH-G11 the refusal names the scope and whether the workspace allows it', async () => {
  const [wide, narrow] = [await joined('admin'), await joined('admin', defaultCeiling)]
  const ask = async (who: Member) => detail(await at.newToken(who), inBrand(who.brand_id, 'admin'), 'PUT')
  expect(await ask(wide)).toEqual([403, 'Token lacks scope brand:admin; the workspace policy allows it'])
  expect(await ask(narrow)).toEqual([
    403,
    'Token lacks scope brand:admin; the workspace policy does not allow it',
  ])
})

test('AUTH-G12 two missing scopes are named in one detail', async () => {
  const named = 'Token lacks scopes memory:read, code:read'
  const wide = await at.newToken(await joined('member'))
  expect(await detail(wide, near)).toEqual([403, `${named}; the workspace policy allows them`])
  const narrow = await at.newToken(await joined('member', ['memory:read']))
  expect(await detail(narrow, near)).toEqual([403, `${named}; the workspace policy does not allow code:read`])
})

test('AUTH-27 a token that has brand:admin cannot use it until the policy is widened', async () => {
  const admin = await joined('admin', defaultCeiling)
  const token = await at.newToken(admin, ['brand:admin'])
  const path = inBrand(admin.brand_id, 'admin')
  expect(await detail(token, path, 'PUT')).toEqual([
    403,
    'Token lacks scope brand:admin; the workspace policy does not allow it',
  ])
  await at.sql(`update identity.brands set scope_ceiling = scope_ceiling || '{brand:admin}' where id = $1`, [
    admin.brand_id,
  ])
  expect(await status(token, path, 'PUT')).toBe(200)
})

test('AUTH-G10 a narrowed ceiling takes a scope from issued tokens on the next request, and gives it back', async () => {
  const plain = await joined('member')
  const token = await at.newToken(plain, ['memory:read', 'memory:write'])
  const ceiling = (scopes: readonly string[]) =>
    at.sql('update identity.brands set scope_ceiling = $2 where id = $1', [plain.brand_id, scopes])
  expect(await status(token, things)).toBe(200)
  await ceiling(['memory:write'])
  expect(await detail(token, things)).toEqual([
    403,
    'Token lacks scope memory:read; the workspace policy does not allow it',
  ])
  expect(await status(token, things, 'POST')).toBe(201)
  await ceiling(['memory:read'])
  expect([await status(token, things), await status(token, things, 'POST')]).toEqual([200, 403])
})

test('AUTH-21 a member who is made admin is let in on the next request, though refused just before', async () => {
  const plain = await joined('member')
  const token = await at.newToken(plain)
  const path = inBrand(plain.brand_id, 'role')
  for (const _ of [1, 2]) expect(await status(token, path, 'PUT')).toBe(403)
  await at.sql(`update identity.memberships set role = 'admin' where person_id = $1`, [plain.person_id])
  expect(await status(token, path, 'PUT')).toBe(200)
})

test('AUTH-04 AUTH-25 AUTH-G8 the person’s other workspace is 404 before scope and role, as a foreign and a missing one', async () => {
  const mine = await joined('member')
  const other = await at.join(await at.newBrand(), 'admin', mine.person_id)
  const foreign = await joined('admin')
  const ids = [
    other.brand_id,
    foreign.brand_id,
    2_000_000_000,
    'abc',
    `${mine.brand_id}.0`,
    `+${mine.brand_id}`,
  ]
  for (const scopes of [[], ['brand:admin', 'brand:read']]) {
    const token = await at.newToken(mine, scopes)
    for (const id of ids) {
      expect(await ask(token, inBrand(id, 'admin'), 'PUT')).toEqual([404, { detail: 'Brand not found' }])
      expect(await ask(token, inBrand(id, 'read'))).toEqual([404, { detail: 'Brand not found' }])
    }
  }
})

test('AUTH-03 the brand in paths and fields is one whole number', async () => {
  const plain = await joined('member')
  const [, body] = await ask(await at.newToken(plain, ['brand:read']), inBrand(plain.brand_id, 'read'))
  expect(body.brand_id).toBe(plain.brand_id)
  expect(Number.isInteger(body.brand_id)).toBe(true)
})

test('AUTH-31 memory shows and writes only the brand that the token is pinned to', async () => {
  const mine = await joined('member')
  const other = await at.join(await at.newBrand(), 'member', mine.person_id)
  const scopes = ['memory:read', 'memory:write', 'code:read']
  const [one, two] = [await at.newToken(mine, scopes), await at.newToken(other, scopes)]
  const add = (token: string, name: string) =>
    server.get(things, json({ name, brand_id: other.brand_id }, { authorization: `Bearer ${token}` }))
  expect([(await add(one, 'of one')).status, (await add(two, 'of two')).status]).toEqual([201, 201])
  for (const path of [things, near, `${things}?brand_id=${other.brand_id}`]) {
    expect(await ask(one, path)).toEqual([200, { brand_id: mine.brand_id, things: ['of one'] }])
  }
  expect(await ask(two, things)).toEqual([200, { brand_id: other.brand_id, things: ['of two'] }])
})
