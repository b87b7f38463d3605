import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DeskCrowd } from '@crewhall/testkit/desk-crowd.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DeskWorkspace } from './desk-workspace.ts'

const size = scaled(500, 200)
const env = { DESK_NETWORKS: '127.0.0.0/8', DESK_CHECK_INTERVAL_MS: '1000', DESK_CHECK_TIMEOUT_MS: '2000' }
const server = useServer('product', env)
const crowd = new DeskCrowd('guards', size)
let canaryStatus = 200
const canary = createServer((_request, response) => response.writeHead(canaryStatus).end())
let at: DeskWorkspace
let worker: ServerProcess
beforeAll(async () => {
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
  at = await DeskWorkspace.open(server)
  await crowd.plant(await server.connection('superuser'), [at.brand_id], await crowd.listen())
  const { port } = canary.address() as AddressInfo
  worker = await server.start('worker', { ...env, DESK_CANARY_URL: `http://127.0.0.1:${port}` })
  await waitFor(async () => (await readyCount()) === size, patienceMs)
})
afterAll(async () => {
  canary.close()
  canary.closeAllConnections()
  await crowd.close()
})

const patienceMs = 60_000
const limitMs = 240_000
const readyCount = async () => (await at.world.sql(`select from fleet.desks where state = 'ready'`)).length
const alarms = (text: string) => worker.logs().filter(({ level, msg }) => level === 'error' && msg === text)
const rounds = async (count: number) => {
  crowd.forgetAsked()
  await waitFor(() => crowd.least_asked >= count, patienceMs)
}

test(
  `check 15: ${size} desks of a cell are cut off for six checks: no status changes, and there is one alarm`,
  async () => {
    crowd.moodOf = () => 'failing'
    await rounds(6)
    crowd.moodOf = () => 'well'
    await rounds(3)
    expect(await readyCount()).toBe(size)
    expect((await at.events()).filter((type) => /lost|flapping/.test(type))).toEqual([])
    await waitFor(() => alarms('most desks of a cell do not answer').length > 0, patienceMs)
    expect(alarms('most desks of a cell do not answer')).toHaveLength(1)
  },
  limitMs,
)

test(
  'misses do not count while the canary of the poller does not answer, and count again when it does',
  async () => {
    canaryStatus = 503
    crowd.moodOf = (n) => (n === 0 ? 'failing' : 'well')
    await rounds(6)
    expect(await readyCount()).toBe(size)
    await waitFor(() => alarms('the canary of health checks does not answer').length === 1, patienceMs)
    canaryStatus = 200
    await waitFor(async () => (await readyCount()) === size - 1, patienceMs)
    crowd.moodOf = () => 'well'
    await waitFor(async () => (await readyCount()) === size, patienceMs)
  },
  limitMs,
)

test(
  'connections are kept: checks that are answered open none',
  async () => {
    await rounds(2)
    const before = crowd.connections
    await rounds(3)
    expect(crowd.connections - before).toBeLessThan(size / 20)
  },
  limitMs,
)
