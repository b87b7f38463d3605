import { scopes as allScopes } from '@crewhall/contracts/scopes.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { DeskWorkspace } from './desk-workspace.ts'

const server = useSharedServer('product')
let at: DeskWorkspace
let id: string
beforeAll(async () => {
  at = await DeskWorkspace.open(server)
  id = (await at.ordered()).workstation_id
})

test.each([
  ['no scope', []],
  ['brand:admin', ['brand:admin']],
  ['another scope', ['memory:read']],
  ['all scopes', allScopes],
])('AUTH-19, UPD-15: with %s an admin requests updates and a member is refused', async (_, scopes) => {
  const [admin, member] = [
    await at.world.join(at.brand_id, 'admin'),
    await at.world.join(at.brand_id, 'member'),
  ]
  const statuses = async (who: typeof admin) => {
    const token = await at.world.newToken(who, [...scopes])
    const paths = [`/machines/${id}/updates`, '/machines/updates']
    return Promise.all(paths.map(async (path) => (await at.call('POST', path, undefined, { token })).status))
  }
  expect(await statuses(admin)).toEqual([202, 202])
  expect(await statuses(member)).toEqual([403, 403])
})

test('AUTH-05, AUTH-06, AUTH-13: photos and new tokens of desks take a session and nothing beside it', async () => {
  const other = await DeskWorkspace.open(server)
  const token = await at.world.newToken(at, [...allScopes])
  const calls = [
    ['POST', `/environments/${id}/image`],
    ['GET', `/environments/${id}/image`],
    ['DELETE', `/environments/${id}/image`],
    ['POST', `/workstations/${id}/regenerate-pat`],
  ] as const
  for (const [method, path] of calls) {
    for (const by of [null, { token }, { cookie: 'crewhall_session=nobody' }])
      expect([method, path, (await at.call(method, path, undefined, by)).status]).toEqual([method, path, 401])
    // Whoever names the workspace of the desk is still in their own.
    const named = `${path}?brand_id=${at.brand_id}`
    expect((await other.call(method, named)).status).toBe(
      method === 'POST' && path.endsWith('image') ? 422 : 404,
    )
  }
})
