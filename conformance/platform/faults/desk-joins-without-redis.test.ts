import { readServiceFacts } from '@crewhall/services/facts.ts'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { join } from '../../fleet/desk-agent.ts'
import { DeskWorkspace } from '../../fleet/desk-workspace.ts'
import { StandInSidecar } from '../../fleet/stand-in-sidecar.ts'

const { redis } = readServiceFacts()
const env = { DESK_NETWORKS: '127.0.0.0/8', DESK_CHECK_INTERVAL_MS: '500' }
const server = useServer('product')
const opened: StandInSidecar[] = []
const patienceMs = 60_000
let proxy: FaultProxy
let clock: VirtualClock
let at: DeskWorkspace
let get: (path: string, init?: RequestInit) => Promise<Response>
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  proxy = await startFaultProxy(redis)
  const [api] = await Promise.all([
    server.start('api', { ...env, ...clock.env, REDIS_URL: proxy.through(redis.url) }),
    server.start('worker', { ...env, ...clock.env }),
  ])
  get = (path, init) => fetch(`${api.url}${path}`, init)
  at = await DeskWorkspace.open({ sql: server.sql, get })
})
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()))
  proxy?.close()
  clock?.close()
})

async function ordered() {
  const { workstation_id: id, pat } = await at.ordered()
  const [desk, sidecar] = [new DeskCaller(id, pat), new StandInSidecar()]
  opened.push(sidecar)
  sidecar.as(desk)
  const sidecar_url = await sidecar.listen()
  const joins = async () => expect((await join(get, desk, { sidecar_url })).status).toBe(200)
  return { id, sidecar, joins }
}
const isReady = async (id: string) => {
  const [row] = await server.sql<{ state: string }>('select state from fleet.desks where id = $1', [id])
  return row?.state === 'ready'
}

test('a desk that joins while Redis is away is checked within a minute, though nobody has told the poller', async () => {
  const [known, late] = [await ordered(), await ordered()]
  await known.joins()
  await waitFor(() => isReady(known.id), patienceMs)
  proxy.set({ kind: 'reset' })
  await late.joins()
  const asked = known.sidecar.asked
  await waitFor(() => known.sidecar.asked >= asked + 4, patienceMs)
  expect(late.sidecar.asked).toBe(0)
  await clock.advance(61_000)
  await waitFor(() => isReady(late.id), patienceMs)
})
