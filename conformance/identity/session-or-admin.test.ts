import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { bearer, type Headers } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'

// One route for a workspace and for the platform, as hires have it: who calls decides which of the two it is.

const adminKey = randomBytes(24).toString('hex')
const server = useServer('probe', {
  ADMIN_KEY_DIGESTS: createHash('sha256').update(adminKey).digest('hex'),
})
const at = new World(server)
const path = '/api/v1/probe/auth/either'

async function post(headers: Headers, body: unknown = {}): Promise<[number, unknown]> {
  const { status, body: answer } = await at.call(null, 'POST', path, body, headers)
  return [status, answer]
}
const read = async (headers: Headers, brand: number | string): Promise<[number, unknown]> => {
  const { status, body } = await at.call(null, 'GET', `${path}/brands/${brand}`, undefined, headers)
  return [status, body]
}
const unauthenticated = [401, { detail: 'Not authenticated' }]
const needsBrand = [422, { detail: 'brand_id: is required' }]

async function newMember(role: 'admin' | 'member' = 'member') {
  const member = await at.join(await at.newBrand(), role)
  return { ...member, cookie: await at.newCookie(member.person_id, member.brand_id) }
}

/** Staff who are also members of a workspace, signed in to it. */
async function newStaff() {
  const person_id = await at.newPerson(true)
  const { brand_id } = await at.join(await at.newBrand(), 'admin', person_id)
  return { person_id, brand_id, cookie: await at.newCookie(person_id, brand_id) }
}

const notes = (brand_id: number) =>
  at.sql<{ actor_kind: string; actor_person_id: number | null; credential: string | null }>(
    `select actor_kind, actor_person_id, credential from platform.audit_entries
     where brand_id = $1 and action = 'probe.noted' order by id`,
    [brand_id],
  )

test('AUTH-05 AUTH-06 a session acts in its own workspace, and whatever else the body says is not looked at', async () => {
  const { cookie, brand_id, person_id } = await newMember()
  const other = await at.newBrand()
  const done = [200, { path: 'session', brand_id, actor: `person:${person_id}` }]
  for (const body of [{}, { brand_id: other }, { brand_id: 'nope' }, { comp_reason: 7 }])
    expect(await post({ cookie }, body)).toEqual(done)
  expect(await notes(other)).toEqual([])
  const own = { actor_kind: 'person', actor_person_id: person_id, credential: 'session' }
  expect(await notes(brand_id)).toEqual([own, own, own, own])
})

test('AUTH-07 the admin key selects the admin path, which acts in the workspace that it names', async () => {
  const brand_id = await at.newBrand()
  expect(await post({ 'x-admin-key': adminKey }, { brand_id, comp_reason: 'a pilot' })).toEqual([
    200,
    { path: 'admin', brand_id, actor: 'admin_key' },
  ])
  expect(await notes(brand_id)).toEqual([
    { actor_kind: 'admin_key', actor_person_id: null, credential: 'admin_key' },
  ])
})

test('AUTH-08 a staff session selects the admin path, also while it is in a workspace', async () => {
  const { cookie, brand_id, person_id } = await newStaff()
  const named = await at.newBrand()
  expect(await post({ cookie }, { brand_id: named })).toEqual([
    200,
    { path: 'admin', brand_id: named, actor: `person:${person_id}` },
  ])
  expect(await post({ cookie }, {})).toEqual(needsBrand)
  const outside = await at.newCookie(person_id, null)
  expect((await post({ cookie: outside }, { brand_id: named }))[0]).toBe(200)
  expect(await notes(brand_id)).toEqual([])
  expect(await notes(named)).toMatchObject([{ actor_person_id: person_id }, { actor_person_id: person_id }])
})

test('AUTH-G3 with a session beside it a right key decides, and a wrong one is 401 and no fall-through', async () => {
  const [member, staff] = [await newMember('admin'), await newStaff()]
  for (const { cookie, brand_id } of [member, staff]) {
    const named = await at.newBrand()
    expect(await post({ cookie, 'x-admin-key': adminKey }, { brand_id: named })).toEqual([
      200,
      { path: 'admin', brand_id: named, actor: 'admin_key' },
    ])
    for (const key of ['', 'wrong', adminKey.slice(1), `${adminKey}0`, `${adminKey}, ${adminKey}`])
      expect(await post({ cookie, 'x-admin-key': key }, { brand_id: named })).toEqual(unauthenticated)
    expect(await notes(brand_id)).toEqual([])
  }
})

test('AUTH-13 AUTH-G2 without a valid session or admin credential it is 401, before anything is said about the body', async () => {
  const member = await newMember('admin')
  const { person_id, brand_id } = await newStaff()
  const token = await at.newToken({ person_id, brand_id }, ['brand:read', 'brand:admin'])
  const callers = [
    {},
    bearer(token),
    { ...bearer(token), cookie: member.cookie },
    { cookie: 'crewhall_session=made-up' },
    { 'x-admin-key': 'wrong' },
  ]
  for (const headers of callers) {
    for (const body of [{ brand_id }, {}, { brand_id: 'nope' }, '{'])
      expect(await post(headers, body)).toEqual(unauthenticated)
    expect(await read(headers, 'nope')).toEqual(unauthenticated)
  }
})

test('an admin names the workspace in the form of the contract, and one that exists', async () => {
  const headers = { 'x-admin-key': adminKey }
  expect(await post(headers, {})).toEqual(needsBrand)
  expect((await post(headers, undefined))[0]).toBe(422)
  for (const brand_id of ['1', 1.5, null, [1]]) expect((await post(headers, { brand_id }))[0]).toBe(422)
  expect(await post(headers, { brand_id: 2_000_000_000 })).toEqual([404, { detail: 'Brand not found' }])
})

test('a right that was given or taken a moment ago decides, although the process knows the caller', async () => {
  const { cookie, person_id, brand_id } = await newMember()
  const remembered = async () =>
    expect(
      (await at.call(null, 'POST', '/api/v1/probe/auth/session', { name: 'x' }, { cookie })).status,
    ).toBe(200)
  const staff = (is_staff: boolean) =>
    at.sql('update identity.people set is_staff = $2 where id = $1', [person_id, is_staff])
  for (const _ of [1, 2, 3]) {
    await remembered()
    expect(await post({ cookie })).toMatchObject([200, { path: 'session', brand_id }])
    await staff(true)
    await remembered()
    expect(await post({ cookie })).toEqual(needsBrand)
    await staff(false)
  }
})

test('a session in no workspace is 403, and one that another site uses is refused on both paths', async () => {
  const lost = await at.newCookie(await at.newPerson(), null)
  expect((await post({ cookie: lost }))[0]).toBe(403)
  const [member, staff] = [await newMember(), await newStaff()]
  for (const { cookie, brand_id } of [member, staff])
    expect((await post({ cookie, origin: 'https://evil.test' }, { brand_id }))[0]).toBe(403)
})

test('a workspace in the path is the session’s own, or any for an admin', async () => {
  const [mine, other] = [await newMember(), await newMember()]
  const staff = await newStaff()
  const foreign = [404, { detail: 'Brand not found' }]
  expect(await read({ cookie: mine.cookie }, mine.brand_id)).toMatchObject([200, { path: 'session' }])
  for (const brand of [other.brand_id, 2_000_000_000, 'nope'])
    expect(await read({ cookie: mine.cookie }, brand)).toEqual(foreign)
  for (const headers of [{ cookie: staff.cookie }, { 'x-admin-key': adminKey }]) {
    expect(await read(headers, mine.brand_id)).toMatchObject([200, { path: 'admin' }])
    expect(await read(headers, 2_000_000_000)).toEqual(foreign)
  }
})

test('a key that makes a call repeatable works for a session, and a dry run for nobody', async () => {
  const { cookie, brand_id } = await newMember()
  const key = { 'idempotency-key': randomUUID() }
  const [first, second] = [await post({ cookie, ...key }), await post({ cookie, ...key })]
  expect(second).toEqual(first)
  expect(await notes(brand_id)).toHaveLength(1)
  for (const headers of [{ cookie }, { 'x-admin-key': adminKey }]) {
    const tried = await at.call(null, 'POST', `${path}?dry_run=true`, { brand_id }, headers)
    expect([tried.status, tried.body]).toEqual([422, { detail: 'dry_run: is not possible here' }])
  }
  expect(await notes(brand_id)).toHaveLength(1)
})
