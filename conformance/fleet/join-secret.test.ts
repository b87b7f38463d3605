import { createPrivateKey, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, expect, test } from 'vitest'
import { everything, placesOf } from '../platform/erasure/everything.ts'
import { DeskWorkspace, digestOf, type Ordered } from './desk-workspace.ts'
import { asVersion, useSignedBundles } from './signed-bundles.ts'
import { SupervisedMachines } from './supervised-machines.ts'
import { UpdatedMachines } from './updated-machines.ts'

/** Receives what an OpenTelemetry collector would. */
let traced = ''
const collector = createServer(async (request, response) => {
  traced += Buffer.concat(await request.toArray()).toString('latin1')
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}).listen(0, '127.0.0.1')
await once(collector, 'listening')
afterAll(() => collector.close())

const bundles = useSignedBundles()
const env = {
  SIDECAR_BUNDLE_DIR: bundles.folder,
  DESK_NETWORKS: '127.0.0.0/8',
  DESK_CHECK_INTERVAL_MS: '500',
  LOG_LEVEL: 'debug',
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
}
const server = useServer('product', env)
const sidecars = useSidecars()
const limitMs = 60_000

/** Arguments of all processes of this machine, and the environment of those that can be read. */
async function processList(): Promise<string> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const files = pids.flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`])
  const found = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')))
  return found.join('\n')
}

test('check 6, DESK-11, DESK-27: after a desk was ordered, has joined and is ready its tokens stand nowhere', async () => {
  const api = await server.start('api')
  const worker = await server.start('worker')
  const get = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)
  const at = await DeskWorkspace.open({ sql: server.sql, get })
  const keyed = () => ({ 'idempotency-key': randomUUID() })
  const by = { cookie: at.cookie }
  const given = { name: 'findable-desk' }
  const first = await at.world.made<Ordered>(by, 'POST', '/api/v1/workstations', given, keyed())
  const { workstation_id: id } = first
  const path = `/api/v1/workstations/${id}/regenerate-pat`
  const second = await at.world.made<Ordered>(by, 'POST', path, undefined, keyed())
  // As a machine does, and as scripts and proxies do that have read it somewhere.
  await get(`/install/sidecar?pat=${second.pat}&env_id=${id}`)
  await at.call('GET', '/workstations', undefined, { token: second.pat })
  const sidecar = await sidecars.start({ server_url: api.url, env_id: id, pat: second.pat })
  const lists = [await processList()]
  await sidecar.logged('registered')
  await waitFor(async () => (await at.show(id)).body.ready, limitMs)
  lists.push(await processList())
  const shown = [await at.show(id), await at.call('GET', '/workstations'), await at.show(id, '?format=md')]
  expect(await sidecar.stop()).toBe(0)

  const kept = await everything(server.database, await server.connection('superuser'))
  // Traces and lines of logs leave with the process at the latest.
  await Promise.all([api.stop(), worker.stop()])
  const logs = [...api.lines, ...worker.lines, ...sidecar.lines].join('\n')
  for (const each of ['regenerate-pat', '/install/sidecar', 'registered']) expect(logs).toContain(each)
  expect(traced).toContain('fleet.registerDesk')
  expect(lists[0]).toContain('sidecar.mjs')
  expect(placesOf(kept, 'findable-desk')).not.toEqual([])
  expect(placesOf(kept, digestOf(second.pat))).toEqual(['fleet.join_secrets'])
  expect(placesOf(kept, digestOf(first.pat))).toEqual([])
  const told = shown.map(({ text }) => text).join('\n')
  const all = { logs, traced, lists: lists.join('\n'), told }
  let looked = 0
  for (const { pat } of [first, second]) {
    const secret = pat.slice('dsk_'.length)
    expect(placesOf(kept, secret)).toEqual([])
    for (const [place, text] of Object.entries(all))
      expect([place, text.includes(secret)]).toEqual([place, false])
    looked += kept.size + Object.keys(all).length
  }
  console.log(
    `2 tokens, 0 hits in ${looked} looks: ${kept.size} tables, objects and Redis; ${Object.keys(all)}`,
  )
})

/** As files, and as programs write them. */
async function formsOfKey(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('-----'))
  const { d = '' } = createPrivateKey(text).export({ format: 'jwk' })
  const bytes = Buffer.from(d, 'base64url')
  return [...lines, d, bytes.toString('base64'), bytes.toString('hex')]
}

test('check 6: after an update that was done, one that failed and a look at the logs, tokens and keys of the desk stand nowhere', async () => {
  const api = await server.start('api')
  const worker = await server.start('worker')
  const get = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)
  const machines = await UpdatedMachines.open({ sql: server.sql, get })
  const desks = new SupervisedMachines({ server_url: api.url, bundles, sidecars, machines })
  await bundles.publish(await asVersion(sidecars.file, '98.0.9'))
  const { id, place } = await desks.requested()
  const pat = await readFile(place.join_secret_file, 'utf8')
  const supervisor = desks.supervise(place)
  await desks.until(id, 'done')
  const lists = [await processList()]
  expect(await supervisor.stop()).toBe(0)
  await bundles.publish(await asVersion(sidecars.file, '98.0.8'))
  await machines.request(id)
  await machines.requestLogs(id)
  const again = desks.supervise(place)
  await desks.until(id, 'failed')
  const logs = await waitFor(async () => machines.logs(id), limitMs)
  lists.push(await processList())
  expect(await again.stop()).toBe(0)

  const keys = await Promise.all(
    ['identity.pem', 'mesh.pem'].map((name) => formsOfKey(join(place.state_dir, name))),
  )
  const kept = await everything(server.database, await server.connection('superuser'))
  await Promise.all([api.stop(), worker.stop()])
  const lines = [api, worker, supervisor, again].flatMap((each) => each.lines).join('\n')
  for (const each of ['registered', 'swapped', 'update ended']) expect(lines).toContain(each)
  expect(traced).toContain('fleet.sendLogs')
  expect(logs).toContain('update ended')
  expect(placesOf(kept, id)).toContain('fleet.desk_logs')
  expect(placesOf(kept, digestOf(pat))).toEqual(['fleet.join_secrets'])
  const all = { lines, traced, lists: lists.join('\n'), logs }
  for (const secret of [pat.slice('dsk_'.length), ...keys.flat()]) {
    expect(secret.length).toBeGreaterThan(20)
    expect(placesOf(kept, secret)).toEqual([])
    for (const [place, text] of Object.entries(all))
      expect([place, text.includes(secret)]).toEqual([place, false])
  }
})
