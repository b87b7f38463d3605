import { randomBytes } from 'node:crypto'
import { attempt, run } from '@crewhall/services/commands.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, MeshBed } from './mesh-bed.ts'
import { useMeshSidecars } from './mesh-sidecars.ts'

const namespace = `m${randomBytes(4).toString('hex')}`
const bed = new MeshBed({ MESH_NAMESPACE: namespace })
const sidecars = useMeshSidecars(bed)
let member: Member
beforeAll(async () => {
  // Made from here: what a hub of this bed mounts is its own.
  await run('ip', ['netns', 'add', namespace])
  await bed.startHub()
  // Far from the hub: it has no network with desks.
  await bed.startWorkerElsewhere()
  member = await bed.newMember()
})
afterAll(() => attempt('ip', ['netns', 'delete', namespace]))

const inside = (...args: string[]) => attempt('ip', ['netns', 'exec', namespace, ...args])

test('health checks go out in a network that holds desks and nothing else, and beats come in there', async () => {
  const desk = await sidecars.newDesk(member)
  const sidecar = sidecars.run(desk.place)
  await desk.isReady()
  const { output } = await inside('ip', '-o', 'link', 'show')
  const devices = output.match(/^\d+: [^:@]+/gm)?.map((line) => line.replace(/^\d+: /, ''))
  expect(
    devices?.filter((name) => !/^(tunl|sit|ip6tnl|gre|erspan|ip_vti|ip6_vti)/.test(name)).sort(),
  ).toEqual(['lo', bed.device].sort())
  const routes =
    (await inside('ip', '-6', 'route', 'show')).output + (await inside('ip', 'route', 'show')).output
  expect(routes.split('\n').filter((line) => line && !line.includes(`dev ${bed.device} `))).toEqual([])
  // The machine that the hub stands on, where its database is, and what clouds have.
  for (const address of [bed.network.address, '10.77.1.1', '169.254.169.254'])
    expect((await inside('ping', '-c', '1', '-W', '1', address)).code).not.toBe(0)
  // The device is nowhere else.
  expect(await bed.network.run('ip', '-o', 'link', 'show')).not.toContain(bed.device)
  await waitFor(() => sidecar.logs('beats take another way').find(({ by }) => by === 'mesh'), 30_000)
  await sidecar.stop()
})

test('while the gate is closed no desk is checked, and none is called unreachable', async () => {
  const desk = await sidecars.newDesk(member)
  const sidecar = sidecars.run(desk.place)
  await desk.isReady()
  await bed.hub.kill()
  await waitFor(
    () =>
      bed.worker.logs().find(({ msg }) => msg === 'the gate of the mesh is closed, so desks are not checked'),
    20_000,
  )
  expect((await desk.show()).status).toBe('ready')
  await bed.startHub()
  await sidecar.stop()
  // It is asked again, and does not answer.
  await waitFor(async () => (await desk.show()).status === 'unreachable', 40_000)
})
