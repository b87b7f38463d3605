import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type { Credential } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, test } from 'vitest'
import { MemoryWorkspace } from './memory-world.ts'
import { propose } from './proposal-world.ts'

const server = useSharedServer('product')
let work: MemoryWorkspace
let id: string
let proposal: string
beforeAll(async () => {
  work = await MemoryWorkspace.open(server)
  id = (await work.add()).id
  proposal = await propose(work)
})

type Call = readonly [method: string, path: string, body?: unknown]
const reads = (): Call[] => [
  ['POST', `/agents/${work.agent}/context`],
  ['POST', `/agents/${work.agent}/context/relevant?query=build`],
  ['GET', '/memories/stats'],
  ['GET', '/memories'],
  ['GET', '/memories/expiring'],
  ['GET', `/memories/${id}`],
  ['GET', `/memories/${id}/history`],
  ['GET', `/memories/${id}/provenance`],
  ['GET', '/proposals'],
  ['GET', `/proposals/${proposal}`],
]
const writes = (): Call[] => [
  ['POST', `/proposals/${proposal}/reject`, {}],
  ['POST', `/proposals/${proposal}/approve`, {}],
  ['POST', '/memories', { agent_id: work.agent, kind: 'fact', title: 'T', body: 'B' }],
  ['PATCH', `/memories/${id}`, { tags: ['a'] }],
  ['POST', `/memories/${id}/verify`, {}],
  ['POST', `/memories/${id}/restore`, { version: 1 }],
  ['DELETE', `/memories/${id}`],
]
const statuses = async (calls: readonly Call[], by: Credential) => {
  const found: number[] = []
  for (const call of calls) found.push((await work.call(call[0], call[1], call[2], by)).status)
  return found
}
const all = (calls: readonly Call[], status: number) => calls.map(() => status)

test('AUTH-22 AUTH-23: reads need memory:read and writes memory:write, and neither gives the other', async () => {
  const [reader, writer, neither] = [
    { token: await work.tokenWith('memory:read') },
    { token: await work.tokenWith('memory:write') },
    { token: await work.tokenWith('brand:read', 'code:read') },
  ]
  expect(await statuses(reads(), reader)).toEqual(all(reads(), 200))
  for (const by of [writer, neither]) expect(await statuses(reads(), by)).toEqual(all(reads(), 403))
  for (const by of [reader, neither]) expect(await statuses(writes(), by)).toEqual(all(writes(), 403))
  const told = async ([method, path, body]: Call, by: Credential) => work.call(method, path, body, by)
  const [read, write] = [reads()[0] as Call, writes()[0] as Call]
  expect(await told(read, neither)).toEqual({
    status: 403,
    body: { detail: 'Token lacks scope memory:read; the workspace policy allows it' },
  })
  expect(await told(write, reader)).toEqual({
    status: 403,
    body: { detail: 'Token lacks scope memory:write; the workspace policy allows it' },
  })
  expect(await statuses(writes(), writer)).toEqual([200, 409, 201, 200, 200, 200, 204])
  await work.call('POST', `/memories/${id}/restore`, { version: 1 }, writer)
})

test('AUTH-G5: a plain member and a session use memory; no role is needed', async () => {
  const cookie = await work.world.newCookie(work.person_id, work.brand_id)
  expect(await statuses(reads(), { cookie })).toEqual(all(reads(), 200))
})

test('AUTH-11: a malformed, an expired and a revoked token, and none, are 401 on every route', async () => {
  const [expired, revoked] = [await work.tokenWith('memory:read'), await work.tokenWith('memory:read')]
  const list: Call = ['GET', '/memories']
  expect((await work.call(...list, undefined, { token: revoked })).status).toBe(200)
  const change = (set: string, token: string) =>
    work.world.sql(
      `update identity.tokens set ${set} where brand_id = $1 and token_hash = sha256(convert_to($2, 'UTF8'))`,
      [work.brand_id, token],
    )
  await change(`expires_at = now() - interval '1 second'`, expired)
  await change('revoked_at = now()', revoked)
  const bad: Credential[] = [
    null,
    { token: 'x' },
    { token: `${work.token}x` },
    { token: expired },
    { token: revoked },
    { authorization: 'Bearer' },
    { authorization: `Basic ${work.token}` },
  ]
  for (const by of bad) {
    expect(await statuses([...reads(), ...writes()], by)).toEqual(all([...reads(), ...writes()], 401))
  }
})
