import { randomBytes } from 'node:crypto'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import type { Get } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beat, join } from './desk-agent.ts'
import { DeskWorkspace } from './desk-workspace.ts'

const newKey = () => randomBytes(32).toString('base64url')
const hub_key = newKey()
const env = {
  DESK_NETWORKS: '127.0.0.0/8',
  MESH_HUB_ENDPOINT: 'hub.example.com:51820',
  MESH_HUB_PUBLIC_KEY: hub_key,
}
const server = useServer('product', env)
let clock: VirtualClock
let api: ServerProcess
const get: Get = (path, init) => fetch(`${api.url}${path}`, init)
let at: DeskWorkspace
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  api = await server.start('api', { ...env, ...clock.env })
  at = await DeskWorkspace.open({ sql: server.sql, get })
})
afterAll(() => clock?.close())

/** By the clock of the tests. */
let passedMs = 0
const created = () => Math.floor((Date.now() + passedMs) / 1000)
const pass = async (ms: number) => {
  passedMs += ms
  await clock.advance(ms)
}
const hour = 3_600_000

async function joined(wg_pub: string): Promise<DeskCaller> {
  const { workstation_id, pat } = await at.ordered()
  const desk = new DeskCaller(workstation_id, pat)
  expect((await join(get, desk, { wg_pub }, { created: created() })).status).toBe(200)
  return desk
}
interface Told {
  readonly commands: readonly { payload: string }[]
  readonly detail?: string
}
const beats = async (desk: DeskCaller, more: object = {}) => {
  const { status, body } = await beat(get, desk, more, { created: created() })
  return { status, body: body as unknown as Told }
}
const commandsOf = async (desk: DeskCaller, more: object = {}) =>
  (await beats(desk, more)).body.commands.map(
    ({ payload }) => JSON.parse(payload) as { id: string; kind: string },
  )

interface Delta {
  readonly wg_key: string | null
  readonly has_address: boolean
  readonly old_wg_key: string | null
  readonly like_wg_key: string | null
}
const deltasOf = (...keys: string[]) =>
  server.sql<Delta>(
    `select wg_key, address is not null as has_address, old_wg_key, like_wg_key from fleet.mesh_deltas
     where wg_key = any($1) or old_wg_key = any($1) order by id`,
    [keys],
  )
const added = (key: string) => ({ wg_key: key, has_address: true, old_wg_key: null, like_wg_key: null })
const gone = (key: string) => ({ wg_key: null, has_address: false, old_wg_key: key, like_wg_key: null })
const waits = (key: string, like: string) => ({
  wg_key: key,
  has_address: false,
  old_wg_key: null,
  like_wg_key: like,
})

test('a key that a desk is about to use waits beside the one in use; told again, it is no news', async () => {
  const [key, next, other] = [newKey(), newKey(), newKey()]
  const desk = await joined(key)
  for (const wg_pub of [next, next, key, other]) expect((await beats(desk, { wg_pub })).status).toBe(200)
  expect(await deltasOf(key, next, other)).toEqual([
    added(key),
    waits(next, key),
    gone(next),
    waits(other, key),
  ])
  expect((await at.call('DELETE', `/workstations/${desk.desk_id}`)).status).toBe(200)
  expect((await deltasOf(key, other)).slice(-2)).toEqual([gone(key), gone(other)])
  // Both are free again.
  await joined(other)
})

test('a desk that joins anew while a key waits has the one that it joins with, and no other', async () => {
  const [key, next, third] = [newKey(), newKey(), newKey()]
  const desk = await joined(key)
  await beats(desk, { wg_pub: next })
  const { body } = await at.call<{ pat: string }>('POST', `/workstations/${desk.desk_id}/regenerate-pat`)
  const again = new DeskCaller(desk.desk_id, body.pat)
  expect((await join(get, again, { wg_pub: third }, { created: created() })).status).toBe(200)
  expect((await deltasOf(key, next, third)).slice(2)).toEqual([
    { wg_key: third, has_address: true, old_wg_key: key, like_wg_key: null },
    gone(next),
  ])
})

test('nobody is about to use the key of another desk, one that waits for it, that of the hub, or none', async () => {
  const [theirs, waiting] = [newKey(), newKey()]
  const other = await joined(theirs)
  await beats(other, { wg_pub: waiting })
  const desk = await joined(newKey())
  for (const wg_pub of [theirs, waiting, hub_key, 'A'.repeat(43)])
    expect(await beats(desk, { wg_pub })).toMatchObject({
      status: 422,
      body: { detail: 'wg_pub: this key cannot be used; make another one' },
    })
  // Nor does anybody join with one that waits.
  const { workstation_id, pat } = await at.ordered()
  const joining = new DeskCaller(workstation_id, pat)
  expect((await join(get, joining, { wg_pub: waiting }, { created: created() })).status).toBe(409)
})

test('a desk is told to replace its key after 30 days, again on the next day if it has not, and then after 30 days', async () => {
  const [key, next] = [newKey(), newKey()]
  const desk = await joined(key)
  await pass(30 * 24 * hour - hour)
  expect(await commandsOf(desk)).toEqual([])
  await pass(2 * hour)
  const [command, ...more] = await commandsOf(desk)
  expect([command?.kind, more]).toEqual(['rotate_key', []])
  const results = [{ id: command?.id, outcome: 'failed', error: 'The hub has not answered to another key' }]
  expect(await commandsOf(desk, { results })).toEqual([])
  await pass(23 * hour)
  expect(await commandsOf(desk)).toEqual([])
  await pass(2 * hour)
  const [again] = await commandsOf(desk)
  expect(again?.kind).toBe('rotate_key')
  expect(again?.id).not.toBe(command?.id)

  // What a hub does that has heard it.
  expect((await beats(desk, { wg_pub: next })).status).toBe(200)
  const hub = await server.connection('superuser')
  await hub.query(
    `update fleet.mesh_peers set wg_key = next_wg_key, next_wg_key = null, next_since = null,
       key_since = platform.now(), rotation_asked_at = null where next_wg_key = $1`,
    [next],
  )
  expect((await deltasOf(key, next)).at(-1)).toEqual({
    wg_key: next,
    has_address: true,
    old_wg_key: key,
    like_wg_key: null,
  })
  const done = [{ id: again?.id, outcome: 'done', error: null }]
  expect(await commandsOf(desk, { results: done })).toEqual([])
  await pass(29 * 24 * hour)
  expect(await commandsOf(desk)).toEqual([])
  await pass(2 * 24 * hour)
  expect((await commandsOf(desk)).map(({ kind }) => kind)).toEqual(['rotate_key'])
})
