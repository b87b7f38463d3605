import { json } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { describe, expect, test } from 'vitest'
import { adminEnv, featureVerbs } from './feature-verbs.ts'

const server = useServer('product', adminEnv)
const at = new World(server)
const { newAdmin, join, read, put, operate, pathOf } = featureVerbs(at)
const untouched = { source: 'plan_default', changed_by: null, changed_at: null }
const _locked = { status: 409, body: { detail: 'This feature is not included in the workspace plan' } }

describe('who may', () => {
  const statusOf = async (response: Promise<Response>) => (await response).status

  test('FEAT-16: a workspace that is not the caller’s is 404', async () => {
    const [ann, ben] = [await newAdmin(), await newAdmin()]
    for (const brand_id of [ben.brand_id, 2_000_000_000]) {
      const { status, body } = await read({ ...ann, brand_id })
      expect([status, body]).toEqual([404, { detail: 'Brand not found' }])
    }
    const response = await server.get(pathOf('nope'), { headers: { authorization: `Bearer ${ann.token}` } })
    expect([response.status, await response.json()]).toEqual([404, { detail: 'Brand not found' }])
  })

  test('FEAT-16: another workspace of the same person is 404 for the token of this one', async () => {
    const ann = await newAdmin()
    const other = await at.newBrand()
    await at.join(other, 'admin', ann.person_id)
    expect(await read({ ...ann, brand_id: other })).toMatchObject({
      status: 404,
      body: { detail: 'Brand not found' },
    })
  })

  test('FEAT-25, AUTH-30: a member who is no admin is 403, and nothing changes', async () => {
    const admin = await newAdmin()
    const member = await join(admin.brand_id, 'member')
    const { status, body } = await put(member, 'feed', { on: false })
    expect([status, body]).toEqual([403, { detail: 'Brand admin access required' }])
    expect((await read(admin)).body.switches.feed).toMatchObject(untouched)
  })

  test('AUTH-14: a plain member reads with brand:read, and not without it', async () => {
    const member = await join(await at.newBrand(), 'member')
    const reader = { ...member, token: await at.newToken(member, ['brand:read']) }
    const other = { ...member, token: await at.newToken(member, ['brand:admin', 'memory:read']) }
    expect((await read(reader)).status).toBe(200)
    expect(await read(other)).toMatchObject({
      status: 403,
      body: { detail: 'Token lacks scope brand:read; the workspace policy allows it' },
    })
  })

  test('AUTH-15, AUTH-28, AUTH-29: an admin’s token without brand:admin is told which scope it lacks', async () => {
    const admin = await newAdmin()
    const token = await at.newToken(admin, ['brand:read'])
    const { status, body } = await put({ ...admin, token }, 'feed', { on: false })
    expect([status, body.detail]).toEqual([
      403,
      'Token lacks scope brand:admin; the workspace policy allows it',
    ])
  })

  test('AUTH-27, AUTH-29: brand:admin outside the policy of the workspace is no right, and the refusal says so', async () => {
    const admin = await join(await at.newBrand(['brand:read']))
    const { status, body } = await put(admin, 'feed', { on: false })
    expect([status, body.detail]).toEqual([
      403,
      'Token lacks scope brand:admin; the workspace policy does not allow it',
    ])
    await operate(`/brands/${admin.brand_id}/policy`, { scope_ceiling: ['brand:read', 'brand:admin'] })
    expect((await put(admin, 'feed', { on: false })).status).toBe(200)
  })

  test('AUTH-G2: sessions of a member and of an admin do what their role allows', async () => {
    const admin = await newAdmin()
    const member = await join(admin.brand_id, 'member')
    for (const [who, reads, changes] of [
      [admin, 200, 200],
      [member, 200, 403],
    ] as const) {
      const cookie = await at.newCookie(who.person_id, who.brand_id)
      const headers = { cookie, 'content-type': 'application/json' }
      expect(await statusOf(server.get(pathOf(who.brand_id), { headers }))).toBe(reads)
      const init = { method: 'PUT', headers, body: '{"on":true}' }
      expect(await statusOf(server.get(`${pathOf(who.brand_id)}/feed`, init))).toBe(changes)
    }
  })

  test('AUTH-30: an admin who was demoted a moment ago is refused on the next request', async () => {
    const ann = await newAdmin()
    const ben = await join(ann.brand_id)
    expect((await put(ben, 'feed', { on: true })).status).toBe(200)
    await at.sql(`update identity.memberships set role = 'member' where brand_id = $1 and person_id = $2`, [
      ben.brand_id,
      ben.person_id,
    ])
    expect((await put(ben, 'feed', { on: false })).status).toBe(403)
    expect((await read(ann)).body.switches.feed.on).toBe(true)
  })

  test('AUTH-G15: a member who was removed a moment ago is refused on the next request', async () => {
    const member = await join((await newAdmin()).brand_id, 'member')
    expect((await read(member)).status).toBe(200)
    await at.sql(
      `update identity.memberships set status = 'removed' where brand_id = $1 and person_id = $2`,
      [member.brand_id, member.person_id],
    )
    expect((await read(member)).status).toBe(401)
  })

  test('AUTH-06: a session sees the one workspace it acts for, until it acts for another', async () => {
    const ann = await newAdmin()
    const other = await at.newBrand()
    await at.join(other, 'member', ann.person_id)
    const cookie = await at.newCookie(ann.person_id, ann.brand_id)
    const both = async () => [
      await statusOf(server.get(pathOf(ann.brand_id), { headers: { cookie } })),
      await statusOf(server.get(pathOf(other), { headers: { cookie } })),
    ]
    expect(await both()).toEqual([200, 404])
    const move = { ...json({ brand_id: other }, { cookie }), method: 'PUT' }
    expect(await statusOf(server.get('/api/v1/me/brand', move))).toBe(200)
    expect(await both()).toEqual([404, 200])
  })

  test('AUTH-09: without a credential both routes are 401', async () => {
    const { brand_id } = await newAdmin()
    expect(await statusOf(server.get(pathOf(brand_id)))).toBe(401)
    expect(await statusOf(server.get(`${pathOf(brand_id)}/feed`, { method: 'PUT' }))).toBe(401)
  })

  test('AUTH-G14: scope and role come before the key and the body', async () => {
    const admin = await newAdmin()
    const member = await join(admin.brand_id, 'member')
    expect((await put(member, 'nothing', {})).status).toBe(403)
    expect((await put({ ...member, token: await at.newToken(member) }, 'nothing', {})).status).toBe(403)
    expect((await put({ ...admin, brand_id: 2_000_000_000 }, 'nothing', {})).status).toBe(404)
  })
})
