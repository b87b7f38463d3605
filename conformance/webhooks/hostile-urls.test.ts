import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hostileUrls } from '@crewhall/testkit/hostile/hostile-urls.ts'
import { type NameServer, startNameServer } from '@crewhall/testkit/name-server.ts'
import { selfSigned } from '@crewhall/testkit/self-signed.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BoardWorkspace } from '../boards/board-workspace.ts'
import { type Hook, HookAdmin, useHookWorld } from './hook-world.ts'

const refused = [422, { detail: 'url: must be an https address on the public Internet' }]
const server = useServer('product')
const world = useHookWorld(server)
const folder = mkdtempSync(join(tmpdir(), 'crewhall-tls-'))
const addresses: Record<string, string[]> = {
  'inside.example': ['10.1.2.3'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'six.example': ['fd00::1'],
  'turning.example': ['93.184.215.14'],
  'hooks.example': ['127.8.8.8'],
}
let names: NameServer
/** An API whose names the test decides. */
let api: ServerProcess
let admin: HookAdmin

beforeAll(async () => {
  names = await startNameServer(
    Object.fromEntries(Object.keys(addresses).map((name) => [name, () => addresses[name] ?? []])),
  )
  api = await server.start('api', { OUTBOUND_NAME_SERVERS: names.address })
  const there = {
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  }
  admin = new HookAdmin(await BoardWorkspace.open(there))
})
afterAll(() => {
  names.close()
  rmSync(folder, { recursive: true })
})

test('no URL of the corpus is taken, neither for a new webhook nor for an old one', async () => {
  const { id } = await admin.open('https://93.184.215.14/hook')
  const taken: string[] = []
  for (const url of hostileUrls) {
    const made = await admin.call('POST', '', { url, events: ['*'] })
    const changed = await admin.call('PATCH', `/${id}`, { url })
    for (const { status, body } of [made, changed]) {
      if (JSON.stringify([status, body]) !== JSON.stringify(refused)) taken.push(`${url}: ${status}`)
    }
  }
  expect(hostileUrls.length).toBeGreaterThanOrEqual(60)
  expect(taken).toEqual([])
  expect((await admin.call('GET', `/${id}`)).body).toMatchObject({ url: 'https://93.184.215.14/hook' })
})

test.each(['inside.example', 'mixed.example', 'hooks.example'])(
  'the name %s is refused without a word about its addresses',
  async (name) => {
    const { status, body } = await admin.call('POST', '', { url: `https://${name}/`, events: ['*'] })
    expect([status, body]).toEqual(refused)
    expect(names.asked).toContain(`A ${name}`)
  },
)

const failed = (hook: Hook) =>
  waitFor(async () => {
    const [newest] = (await admin.deliveries(hook)).items
    return newest !== undefined && newest.last_error !== null && newest
  }, 30_000)

test('a name that turns to the inside after it was accepted is not called', async () => {
  const receiver = await world.newReceiver()
  const hook = await admin.open(`https://turning.example:${receiver.port}/hook`)
  const worker = await server.start('worker', { OUTBOUND_NAME_SERVERS: names.address })
  addresses['turning.example'] = ['127.0.0.1']
  await admin.call('POST', `/${hook.id}/test`)
  expect(await failed(hook)).toMatchObject({ status: 'pending', last_error: 'address', last_status: null })
  expect(receiver.connections).toBe(0)
  await worker.stop()
})

test('a row that names an address of the inside is not called either', async () => {
  const receiver = await world.newReceiver()
  const hook = await admin.open('https://93.184.215.14/hook')
  await world.sql('update webhooks.endpoints set url = $2 where id = $1', [hook.id, receiver.url])
  const worker = await server.start('worker')
  await admin.call('POST', `/${hook.id}/test`)
  expect(await failed(hook)).toMatchObject({ last_error: 'address' })
  expect(receiver.connections).toBe(0)
  await worker.stop()
})

test('a receiver that the operator allows is called over TLS, under the name that its certificate has', async () => {
  const { key, cert } = selfSigned('hooks.example')
  const trusted = join(folder, 'cert.pem')
  writeFileSync(trusted, cert)
  const hosts: string[] = []
  const secured = createServer({ key, cert }, (request, response) => {
    hosts.push(request.headers.host ?? '')
    response.end()
  })
  secured.listen(0, '127.8.8.8')
  await once(secured, 'listening')
  const { port } = secured.address() as AddressInfo
  const hook = await admin.open('https://93.184.215.14/hook')
  await world.sql('update webhooks.endpoints set url = $2 where id = $1', [
    hook.id,
    `https://hooks.example:${port}/hook`,
  ])
  const allowed = { OUTBOUND_NAME_SERVERS: names.address, OUTBOUND_ALLOWED_NETWORKS: '127.8.8.8/32' }
  const worker = await server.start('worker', { ...allowed, NODE_EXTRA_CA_CERTS: trusted })
  await admin.call('POST', `/${hook.id}/test`)
  expect(await admin.settled(hook, 'delivered')).toMatchObject({ last_status: 200 })
  expect(hosts).toEqual([`hooks.example:${port}`])
  await worker.stop()
  secured.close()
})
