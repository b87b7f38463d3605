import { randomBytes } from 'node:crypto'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { beforeAll, expect, test } from 'vitest'
import { beat, join } from './desk-agent.ts'
import { DeskWorkspace } from './desk-workspace.ts'

const newKey = () => randomBytes(32).toString('base64url')
const hub_key = newKey()
const server = useServer('product', {
  DESK_NETWORKS: '127.0.0.0/8',
  MESH_PREFIX: 'fd12:3456:789a::/48',
  MESH_HUB_ENDPOINT: 'hub.example.com:51820',
  MESH_HUB_PUBLIC_KEY: hub_key,
})
let at: DeskWorkspace
beforeAll(async () => {
  at = await DeskWorkspace.open(server)
})

const ordered = async (workspace = at) => {
  const { workstation_id, pat } = await workspace.ordered()
  return new DeskCaller(workstation_id, pat)
}
const joined = async (desk: DeskCaller, wg_pub: string) => {
  const { status, body } = await join(server.get, desk, { wg_pub })
  return { status, mesh: body.mesh, detail: body.detail }
}
interface Delta {
  readonly wg_key: string | null
  readonly address: string | null
  readonly old_wg_key: string | null
}
/** What the hub has to do about these keys, in order. */
const deltasOf = (...keys: string[]) =>
  server.sql<Delta>(
    `select wg_key, host(address) as address, old_wg_key from fleet.mesh_deltas
     where wg_key = any($1) or old_wg_key = any($1) order by id`,
    [keys],
  )
const peersInCell = async () => (await server.sql<{ peers: number }>('select peers from fleet.mesh_cells'))[0]

test('a desk that joins is told its address, and the hub of the desk in the same transaction', async () => {
  const [desk, key] = [await ordered(), newKey()]
  const { status, mesh } = await joined(desk, key)
  expect([status, mesh]).toEqual([
    200,
    {
      address: expect.stringMatching(/^fd12:3456:789a:0?:/),
      hub_key,
      hub_endpoint: 'hub.example.com:51820',
      allowed_ips: ['fd12:3456:789a:0::1/128'],
      keepalive_s: 25,
      beat_url: 'http://[fd12:3456:789a:0::1]:8443',
    },
  ])
  expect(await deltasOf(key)).toEqual([{ wg_key: key, address: mesh?.address, old_wg_key: null }])
})

test('a desk that does not say where it is asked how it is gets its address in the network, at its port', async () => {
  for (const [given, port] of [
    [{}, 8787],
    [{ health_port: 9001 }, 9001],
  ] as const) {
    const desk = await ordered()
    const more = { wg_pub: newKey(), sidecar_url: undefined, ...given }
    const { status, body } = await join(server.get, desk, more)
    expect([status, body.sidecar_url]).toEqual([200, `http://[${body.mesh?.address}]:${port}`])
    expect((await join(server.get, desk.again(), more)).body.sidecar_url).toBe(body.sidecar_url)
    expect((await at.change(desk.desk_id, {})).body.sidecar_url).toBe(body.sidecar_url)
  }
})

test('check 18: no desk is pointed at the hub or at another desk of the network, by a person or by itself', async () => {
  const [desk, other] = [await ordered(), await ordered(await DeskWorkspace.open(server))]
  const own = (await joined(desk, newKey())).mesh?.address
  const foreign = (await joined(other, newKey())).mesh?.address
  const written = (address = '') => address.replace('::', ':0:').toUpperCase()
  const change = async (address: string) =>
    (await at.change(desk.desk_id, { sidecar_url: `http://[${address}]:8787` })).status
  expect(await change(`${own}`)).toBe(200)
  expect(await change(written(own))).toBe(200)
  for (const address of [`${foreign}`, written(foreign), 'fd12:3456:789a::1', 'fd12:3456:789a:7::9'])
    expect([address, await change(address)]).toEqual([address, 422])
  for (const address of [foreign, 'fd12:3456:789a::1']) {
    const more = { wg_pub: newKey(), sidecar_url: `http://[${address}]:8787` }
    expect((await join(server.get, await ordered(), more)).status).toBe(422)
  }
})

test('the same key gets the same address again, and the hub is told nothing new', async () => {
  const [desk, key] = [await ordered(), newKey()]
  const first = await joined(desk, key)
  expect(await joined(desk.again(), key)).toEqual(first)
  expect(await deltasOf(key)).toHaveLength(1)
})

test('a desk that joins with a new token and a new key keeps its address; the key is replaced in one step', async () => {
  const [desk, key, next] = [await ordered(), newKey(), newKey()]
  const first = await joined(desk, key)
  const { body } = await at.call<{ pat: string }>('POST', `/workstations/${desk.desk_id}/regenerate-pat`)
  const second = await joined(new DeskCaller(desk.desk_id, body.pat), next)
  expect(second.mesh).toEqual(first.mesh)
  expect(await deltasOf(key, next)).toEqual([
    { wg_key: key, address: first.mesh?.address, old_wg_key: null },
    { wg_key: next, address: first.mesh?.address, old_wg_key: key },
  ])
})

test('release and quarantine take the peer out; its address is never given again', async () => {
  const before = await peersInCell()
  const [released, copied] = [await ordered(), await ordered()]
  const [one, two] = [newKey(), newKey()]
  const first = await joined(released, one)
  await joined(copied, two)
  expect((await at.call('DELETE', `/workstations/${released.desk_id}`)).status).toBe(200)
  // Two processes that take turns are two machines.
  await beat(server.get, copied)
  await beat(server.get, copied.again())
  expect((await beat(server.get, copied, {}, { created: Math.floor(Date.now() / 1000) + 60 })).status).toBe(
    409,
  )
  const gone = (key: string) => ({ wg_key: null, address: null, old_wg_key: key })
  expect((await deltasOf(one)).at(-1)).toEqual(gone(one))
  expect((await deltasOf(two)).at(-1)).toEqual(gone(two))
  expect(await peersInCell()).toEqual(before)
  // The key of a machine that was released is free for its next desk.
  const again = await joined(await ordered(), one)
  expect(again.status).toBe(200)
  expect(again.mesh?.address).not.toBe(first.mesh?.address)
})

test('no desk takes the key of another one, of the hub, or one that is none', async () => {
  const key = newKey()
  const mine = await joined(await ordered(), key)
  const foreign = await ordered(await DeskWorkspace.open(server))
  // The last character has two bits that belong to no byte: another text for the same key.
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const twin = key.slice(0, -1) + last[last.indexOf(key.at(-1) ?? '') + 1]
  expect(Buffer.from(twin, 'base64url')).toEqual(Buffer.from(key, 'base64url'))
  for (const refused of [key, twin, hub_key, 'A'.repeat(43)])
    expect(await joined(foreign, refused)).toEqual({
      status: 409,
      mesh: undefined,
      detail: 'wg_pub: this key cannot be used; make another one',
    })
  expect(mine.status).toBe(200)
  expect((await joined(foreign, newKey())).status).toBe(200)
})

test('a cell that is full takes no other desk, the order stays as it is, and a wrong count is found', async () => {
  const owner = await server.connection('owner')
  const desk = await ordered()
  const { peers } = (await peersInCell()) ?? { peers: 0 }
  await owner.query('update fleet.mesh_cells set peers = 16384')
  try {
    const { status, detail } = await joined(desk, newKey())
    expect([status, detail]).toEqual([409, expect.stringContaining('no room for another desk')])
    const { code, output } = await verifyData(server.database.url)
    expect(code).toBe(1)
    expect(output).toContain(`: 16384, should be ${peers}`)
  } finally {
    await owner.query('update fleet.mesh_cells set peers = $1', [peers])
  }
  expect((await joined(desk, newKey())).status).toBe(200)
  expect((await verifyData(server.database.url)).code).toBe(0)
})
