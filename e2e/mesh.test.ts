import { randomBytes } from 'node:crypto'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { hubAddress, late, type Member, MeshBed, type MeshDesk, pings, toWg } from './mesh-bed.ts'

const bed = new MeshBed()
let member: Member
let desk: MeshDesk
beforeAll(async () => {
  await bed.startHub()
  member = await bed.newMember()
  desk = await bed.join(member)
})

const newKey = () => randomBytes(32).toString('base64url')
const waiting = async () => {
  const [row] = await bed.server.sql<{ count: number }>(
    'select count(*)::int as count from fleet.mesh_deltas where applied_at is null',
  )
  return row?.count
}
const patienceMs = 20_000

/** Until the hub reaches the desk; the desk itself says nothing. */
const reached = (to: MeshDesk, limitMs: number) =>
  waitFor(async () => (await pings(bed.network, to.address, 1)) === 1, limitMs)

test('a desk that has registered is a peer at once: it calls the hub, and the hub reaches it, 100 of 100', async () => {
  await waitFor(async () => (await bed.peers()).includes(toWg(desk.key)), 2000)
  // The desk calls first, as its keepalive does; the hub does not know where it is.
  await desk.network.attempt('ping', '-6', '-c', '1', '-W', '1', hubAddress)
  await reached(desk, patienceMs)
  expect(await pings(bed.network, desk.address, 100, ...late)).toBe(100)
})

test('check 9: a desk that was released is no peer after 2 s, and is not reached', async () => {
  const other = await bed.join(member)
  await waitFor(async () => (await bed.peers()).includes(toWg(other.key)), 2000)
  await other.network.attempt('ping', '-6', '-c', '1', '-W', '1', hubAddress)
  await reached(other, patienceMs)
  expect((await bed.call(member, 'DELETE', `/workstations/${other.desk_id}`)).status).toBe(200)
  await waitFor(async () => !(await bed.peers()).includes(toWg(other.key)), 2000)
  expect(await pings(bed.network, other.address, 10)).toBe(0)
  expect(await pings(bed.network, desk.address, 10, ...late)).toBe(10)
})

test('a desk whose key two machines use is no peer after 2 s', async () => {
  const key = newKey()
  const { caller } = await bed.register(member, key)
  await waitFor(async () => (await bed.peers()).includes(toWg(key)), 2000)
  // Two processes that take turns are two machines.
  const statuses = [await bed.beat(caller), await bed.beat(caller.again())]
  statuses.push(await bed.beat(caller, {}, Math.floor(Date.now() / 1000) + 60))
  expect(statuses).toEqual([200, 200, 409])
  await waitFor(async () => !(await bed.peers()).includes(toWg(key)), 2000)
})

test('changes that were made while no hub ran are all applied when it is back, and none twice', async () => {
  const [kept, gone] = [newKey(), newKey()]
  const released = await bed.register(member, gone)
  await waitFor(async () => (await bed.peers()).includes(toWg(gone)), 2000)
  await bed.hub.kill()
  const added = [kept, ...Array.from({ length: 20 }, newKey)]
  for (const key of added) await bed.register(member, key)
  await bed.call(member, 'DELETE', `/workstations/${released.desk_id}`)
  expect(await waiting()).toBe(added.length + 1)
  const hub = await bed.startHub()
  await waitFor(async () => (await waiting()) === 0, 5000)
  const peers = await bed.peers()
  expect(peers).toEqual(expect.arrayContaining(added.map(toWg)))
  expect(peers).not.toContain(toWg(gone))
  expect(new Set(peers).size).toBe(peers.length)
  const compared = await waitFor(
    () => hub.logs().find(({ msg }) => msg === 'peers of the mesh compared'),
    2000,
  )
  expect(compared).toMatchObject({ steps: added.length + 1, deltas: added.length + 1 })
  expect(hub.logs().filter(({ msg }) => msg === 'peers of the mesh changed')).toEqual([])
})

test('a hub that is killed after it has applied changes, and before it has noted so, does no harm', async () => {
  await bed.hub.stop()
  const hub = await bed.startHub({ TEST_FAULT_POINTS: 'fleet.mesh-applied:kill@1' })
  await waitFor(() => hub.logs().some(({ msg }) => msg === 'peers of the mesh compared'), 5000)
  const key = newKey()
  await bed.register(member, key)
  await hub.ended
  expect(await waiting()).toBe(1)
  await bed.startHub()
  await waitFor(async () => (await waiting()) === 0, 5000)
  expect((await bed.peers()).filter((each) => each === toWg(key))).toHaveLength(1)
})
