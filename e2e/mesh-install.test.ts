import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFairTime } from '@crewhall/testkit/fair-time.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { type TestHost, useHosts } from '@crewhall/testkit/hosts/test-host.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  identityOn,
  install,
  type OrderedDesk,
  publishFiles,
  type ShownDesk,
  withoutRegistry,
} from './desk-service.ts'
import { type Member, MeshBed, pings } from './mesh-bed.ts'

const bed = new MeshBed()
const hosts = useHosts()
const home = mkdtempSync(join(tmpdir(), 'mesh-install-'))
afterAll(() => rmSync(home, { recursive: true }))

let member: Member
let url = ''
let first: TestHost
beforeAll(async () => {
  const [host, env] = await Promise.all([hosts.start(), publishFiles(home)])
  first = await withoutRegistry(host)
  const port = await freePort()
  // All hosts reach the address of this line, because it is one of this machine.
  const address = {
    HTTP_HOST: '0.0.0.0',
    HTTP_PORT: String(port),
    PUBLIC_URL: `http://${first.gateway}:${port}`,
  }
  url = (await bed.server.start('api', { ...env, ...address })).url
  await bed.startHub()
  await bed.startWorker(1000)
  member = await bed.newMember()
})

const limitMs = 120_000
const ask = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
  const get = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init)
  return (await call<Body>(get, { cookie: member.cookie }, method, `/api/v1${path}`, body)).body
}
const order = () => ask<OrderedDesk>('POST', '/workstations', { name: 'Desk', runtime: 'codex' })
const show = (id: string) => ask<ShownDesk>('GET', `/workstations/${id}`)
const isReady = (id: string) => waitFor(async () => (await show(id)).status === 'ready', limitMs)
const peersOf = (id: string) =>
  bed.server.sql<{ address: string; wg_key: string }>(
    'select host(address) as address, wg_key from fleet.mesh_peers where desk_id = $1',
    [id],
  )

test('DESK-20, check 8: the printed command joins the private network and opens no port; run three times it leaves one peer, the same address and the same processes', async () => {
  const host = first
  const desk = await order()
  const { workstation_id: id } = desk
  const elapsed = startFairTime()
  const running = install(host, desk)
  await Promise.race([isReady(id), running.then(() => new Promise(() => {}))])
  console.log(
    `ready in the private network ${(elapsed() / 1000).toFixed(1)} s after the start of the command`,
  )
  await running
  const peers = await peersOf(id)
  expect(peers).toHaveLength(1)
  const [{ address } = { address: '' }] = peers
  expect(await pings(bed.network, address, 10, '-W', '10')).toBe(10)

  // It listens in the network and nowhere else; the machine itself has no open port.
  expect(await host.must("ss -Hltn | awk '{ print $4 }'")).toBe(`[${address}]:8787`)
  await expect(fetch(`http://${host.address}:8787/v1/health`)).rejects.toThrow('fetch failed')
  expect(await host.must('cat /etc/crewhall/sidecar.json')).not.toContain('health_address')

  const before = await identityOn(host)
  for (let count = 0; count < 2; count += 1) {
    await install(host, desk)
    expect([await identityOn(host), await peersOf(id)]).toEqual([before, peers])
  }
  await host.reboot()
  await waitFor(async () => (await pings(bed.network, address, 1)) === 1, limitMs)
  await isReady(id)
  expect(await peersOf(id)).toEqual(peers)

  await host.must('/opt/crewhall/bin/crewhall-uninstall')
  expect(await host.must('ip -o link show')).not.toContain('crewdesk0')
})

test('where UDP to the hub is blocked, the installer ends with 8 and says so, and the desk is ready once it is open', async () => {
  const host = await withoutRegistry(await hosts.start())
  const rules = 'table inet cut { chain out { type filter hook output priority 0; udp dport 51820 drop; }; }'
  await host.must('nft --file -', { input: rules })
  const { install_command, workstation_id: id } = await order()
  const { code, output } = await host.run(install_command)
  expect([code, output]).toEqual([8, expect.stringContaining('open outbound UDP')])
  const stalled = (await show(id)).onboarding_steps.find(({ state }) => state !== 'done')
  expect([stalled?.key, stalled?.reason]).toEqual(['wg_register', 'awaiting_wg_peer'])
  expect(stalled?.hint).toContain('outbound UDP to the hub is blocked')
  await host.must('nft delete table inet cut')
  await isReady(id)
})

test('where WireGuard cannot be installed, the installer names what is missing', async () => {
  const host = await withoutRegistry(await hosts.start())
  await host.must('rm /usr/bin/wg; echo > /etc/apt/sources.list; rm -f /etc/apt/sources.list.d/*')
  const { install_command } = await order()
  const { code, output } = await host.run(install_command)
  expect([code, output]).toEqual([8, expect.stringContaining('the private network needs wireguard-tools')])
  expect(await host.must('systemctl is-active crewhall-sidecar')).toBe('active')
})
