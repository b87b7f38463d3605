import { sendBeat } from '@crewhall/contracts/fleet/desk-agent.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beat, join, report } from '../../fleet/desk-agent.ts'
import { DeskWorkspace } from '../../fleet/desk-workspace.ts'

const { redis } = readServiceFacts()
const server = useServer('product')
let proxy: FaultProxy
let at: DeskWorkspace
let get: (path: string, init?: RequestInit) => Promise<Response>
beforeAll(async () => {
  proxy = await startFaultProxy(redis)
  const api = await server.start('api', {
    REDIS_URL: proxy.through(redis.url),
    DESK_NETWORKS: '127.0.0.0/8',
  })
  get = (path, init) => fetch(`${api.url}${path}`, init)
  at = await DeskWorkspace.open({ sql: server.sql, get })
})
afterAll(() => proxy?.close())

const ordered = async () => {
  const { workstation_id, pat } = await at.ordered()
  return new DeskCaller(workstation_id, pat)
}
const rowOf = async (id: string) =>
  (await server.sql('select xmin::text, ctid::text from fleet.desks where id = $1', [id]))[0]

test.each(['drop', 'reset'] as const)(
  'while Redis is away (%s) a beat is 503 and counts for nothing, and a machine can join all the same',
  async (kind) => {
    const [desk, late] = [await ordered(), await ordered()]
    expect((await join(get, desk)).status).toBe(200)
    await waitFor(async () => (await beat(get, desk)).status === 200, 30_000)
    const before = await rowOf(desk.desk_id)
    const text = JSON.stringify({ ...report, pending_sync_count: 41 })
    const headers = { 'content-type': 'application/json', ...desk.headersFor(sendBeat, text) }
    const send = () => call<{ detail?: string }>(get, null, 'POST', sendBeat.path, text, headers)

    proxy.set({ kind })
    const refused = await send()
    expect(refused.status).toBe(503)
    expect(refused.body.detail).toMatch(/^The redis (cannot be reached|did not answer in time)$/)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await rowOf(desk.desk_id)).toEqual(before)
    expect((await at.audited()).filter((action) => action === 'desk.quarantined')).toEqual([])
    // The token is good for one machine by a row in Postgres, so nothing of Redis is asked.
    expect((await join(get, late)).status).toBe(200)
    expect((await join(get, new DeskCaller(late.desk_id, late.secret))).status).toBe(409)

    proxy.set({ kind: 'none' })
    // The very same request, with its sequence, is taken once Redis is back.
    await waitFor(async () => (await send()).status === 200, 30_000)
    expect((await at.change(desk.desk_id, {})).body.pending_sync_count).toBe(41)
    expect((await send()).status).toBe(401)
  },
  90_000,
)
