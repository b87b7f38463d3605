import { startFairTime } from '@crewhall/testkit/fair-time.ts'
import type { TestNetwork } from '@crewhall/testkit/hosts/test-network.ts'
import type { SidecarProcess } from '@crewhall/testkit/sidecar-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { hubAddress, type Member, MeshBed } from './mesh-bed.ts'
import { readyMs, useMeshSidecars } from './mesh-sidecars.ts'

const bed = new MeshBed()
const sidecars = useMeshSidecars(bed)
let member: Member
beforeAll(async () => {
  await bed.startHub()
  await bed.startWorker()
  member = await bed.newMember()
})

/** Rules of a firewall. */
const cutOff = 'table inet cut { chain out { type filter hook output priority 0; udp dport 51820 drop; }; }'

const devices = (network: TestNetwork) => network.run('ip', '-o', 'link', 'show')

test('a desk makes its key, joins the network, and is ready when it was asked there', async () => {
  const desk = await sidecars.newDesk(member)
  const elapsed = startFairTime()
  const sidecar = sidecars.run(desk.place)
  await desk.isReady()
  console.log(`ready ${Math.round(elapsed())} ms after the start of its sidecar`)
  const { url } = (await sidecar.logged('health is served')) as { url?: string }
  const [row] = await bed.server.sql<{ sidecar_url: string; address: string; wg_key: string }>(
    `select d.sidecar_url, host(p.address) as address, p.wg_key from fleet.desks d
     join fleet.mesh_peers p on p.desk_id = d.id where d.id = $1`,
    [desk.id],
  )
  expect(row?.sidecar_url).toBe(url)
  expect(url).toBe(`http://[${row?.address}]:${desk.place.port}`)
  // It takes from the hub alone, and its health is at no other address of the machine.
  expect(await desk.network.run('wg', 'show', desk.device, 'allowed-ips')).toContain(
    `\t${hubAddress.replace(':0::', '::')}/128`,
  )
  await expect(fetch(`http://${desk.network.address}:${desk.place.port}/v1/health`)).rejects.toThrow(
    'fetch failed',
  )
  expect(await sidecar.stop()).toBe(0)
  expect(await devices(desk.network)).not.toContain(desk.device)
})

test('a sidecar that was killed leaves a device, which the next one replaces; address and key stay', async () => {
  const desk = await sidecars.newDesk(member)
  const first = sidecars.run(desk.place)
  await desk.isReady()
  const found = () =>
    bed.server.sql('select wg_key, address from fleet.mesh_peers where desk_id = $1', [desk.id])
  const before = await found()
  await first.kill()
  expect(await devices(desk.network)).toContain(desk.device)
  const second = sidecars.run(desk.place)
  await second.logged('the hub has answered')
  await desk.isReady()
  expect(await found()).toEqual(before)
  expect(second.logs('registered')).toEqual([])
  await second.stop()
})

test('check 9: a desk that was released ends its sidecar and its tunnel', async () => {
  const desk = await sidecars.newDesk(member)
  const sidecar = sidecars.run(desk.place)
  await desk.isReady()
  expect((await bed.call(member, 'DELETE', `/workstations/${desk.id}`)).status).toBe(200)
  // It beats again when it was started anew; no need to wait for the next one.
  await sidecar.stop()
  const again: SidecarProcess = sidecars.run(desk.place)
  expect(await again.ended).toBe(10)
  expect(await devices(desk.network)).not.toContain(desk.device)
})

test('beats go through the network while the hub is heard, and over HTTPS when it is not', async () => {
  const desk = await sidecars.newDesk(member)
  const sidecar = sidecars.run(desk.place)
  await desk.isReady()
  const ways = () => sidecar.logs('beats take another way').map(({ by }) => by)
  await waitFor(() => ways().at(-1) === 'mesh', readyMs)
  await desk.network.run('nft', cutOff)
  await waitFor(() => ways().at(-1) === 'https', 2 * readyMs)
  // The hub does not hear it any more, and the service does.
  const shown = await waitFor(async () => {
    const { status, onboarding_steps } = await desk.show()
    const hints = onboarding_steps.flatMap(({ hint }) => hint ?? [])
    return status === 'unreachable' && hints.some((hint) => hint.includes('UDP')) && hints
  }, 60_000)
  expect(shown).toEqual([expect.stringContaining('outbound UDP to the hub is blocked')])
  await sidecar.stop()
})

test('a desk whose firewall lets no UDP out reports over HTTPS, and the one hint says so', async () => {
  const desk = await sidecars.newDesk(member)
  await desk.network.run('nft', cutOff)
  const sidecar = sidecars.run(desk.place)
  const stalled = await waitFor(async () => {
    const shown = await desk.show()
    return shown.onboarding_steps.some(({ reason }) => reason === 'awaiting_wg_peer') && shown
  }, readyMs)
  const hints = stalled.onboarding_steps.flatMap(({ hint }) => hint ?? [])
  expect(hints).toEqual([expect.stringContaining('outbound UDP to the hub is blocked')])
  await desk.network.run('nft', 'delete', 'table', 'inet', 'cut')
  await desk.isReady()
  await sidecar.stop()
})
