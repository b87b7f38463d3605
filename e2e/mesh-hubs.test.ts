import { randomBytes } from 'node:crypto'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Member, MeshBed, toWg } from './mesh-bed.ts'

const bed = new MeshBed()
let member: Member
beforeAll(async () => {
  await bed.startHub()
  member = await bed.newMember()
})

const heldUntil = async () => {
  const [row] = await bed.server.sql<{ at: number }>(
    'select extract(epoch from held_until)::float8 as at from fleet.mesh_hubs',
  )
  return row?.at ?? 0
}
const takenOverMs = 20_000

test('two hubs with one key are never up at once: the second waits, and one that was replaced takes its device away', async () => {
  const first = bed.hub
  const second = await bed.startOtherHub()
  let isUp = false
  void second.ready.then(() => {
    isUp = true
  })
  // Longer than a process takes to start; the first says meanwhile that it is there.
  const until = (await heldUntil()) + 5
  await waitFor(async () => (await heldUntil()) > until, takenOverMs)
  expect(isUp).toBe(false)
  expect((await second.network.attempt('wg', 'show', second.device)).code).not.toBe(0)

  first.child.kill('SIGSTOP')
  const began = performance.now()
  const hub = await second.ready
  console.log(`taken over ${Math.round(performance.now() - began)} ms after the first hub fell silent`)
  const key = randomBytes(32).toString('base64url')
  await bed.register(member, key)
  const peers = () => second.network.run('wg', 'show', second.device, 'peers')
  await waitFor(async () => (await peers()).includes(toWg(key)), 2000)

  first.child.kill('SIGCONT')
  expect(await first.ended).toBe(0)
  expect((await bed.network.attempt('wg', 'show', bed.device)).code).not.toBe(0)
  expect(await peers()).toContain(toWg(key))
  expect(await hub.stop()).toBe(0)
})

test('one machine has no second hub for a device', async () => {
  const hub = await bed.startHub()
  await expect(bed.startHub()).rejects.toThrow('there is a hub with the device')
  expect(await hub.stop()).toBe(0)
})
