import { freePort } from '@crewhall/testkit/free-port.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { BoardWorkspace } from '../../boards/board-workspace.ts'

const port = await freePort()
const server = useServer('probe', { METRICS_PORT: String(port) })
const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()

test('requests are counted by contract, method and status', async () => {
  await server.get('/api/v1/probe/rows/1')
  await server.get('/api/v1/probe/rows/2')
  await server.get('/api/v1/probe/rows/999999999')
  const text = await waitFor(async () => {
    const told = await metrics()
    return told.includes('route="probe.readRow",method="GET",status="404"') && told
  }, 20_000)
  const count = (status: number) =>
    new RegExp(
      `^crewhall_http_request_seconds_count\\{route="probe.readRow",method="GET",status="${status}"\\} (\\d+)$`,
      'm',
    ).exec(text)?.[1]
  expect([count(200), count(404)]).toEqual(['2', '1'])
  expect(text).toMatch(/^crewhall_http_request_seconds_bucket\{le="0\.05",route="probe\.readRow"/m)
})

test('callers who hang up are no outage of anything', async () => {
  const caller = new AbortController()
  const call = server.get('/api/v1/probe/slow?ms=20000', { signal: caller.signal }).catch(() => undefined)
  await waitFor(async () => /^crewhall_http_in_flight 1$/m.test(await metrics()), 20_000)
  caller.abort()
  await call
  await waitFor(() => server.api.lines.some((line) => line.includes('the caller has hung up')), 20_000)
  expect((await metrics()).match(/^crewhall_outages_total\{.*$/gm)).toBeNull()
})

test('paths that no contract has share one name, so that strangers cannot make new ones', async () => {
  for (const path of ['/a', '/b', '/api/v1/c']) await server.get(path)
  const text = await waitFor(async () => {
    const told = await metrics()
    return /route="none",method="GET",status="404"\} 3$/m.test(told) && told
  }, 3000)
  expect(new Set(text.match(/route="[^"]+"/g))).toEqual(new Set(['route="none"', 'route="probe.readRow"']))
})

test('the port of the API does not tell them', async () => {
  expect((await server.get('/metrics')).status).toBe(404)
  expect((await server.get('/api/v1/metrics')).status).toBe(404)
})

test('the port of the metrics tells nothing else', async () => {
  expect((await fetch(`http://127.0.0.1:${port}/api/v1/system/info`)).status).toBe(404)
})

test('K3: waits for connections and turns, the oldest job and the oldest delivery are told', async () => {
  const workerPort = await freePort()
  await server.start('worker', { METRICS_PORT: String(workerPort) })
  const board = { name: 'Counted', key: 'CNT' }
  const workspace = await BoardWorkspace.open(server)
  const { id } = await workspace.board(board)
  await workspace.call('POST', `/boards/${id}/tasks`, { title: 'Counted' })
  const text = await metrics()
  expect(text).toMatch(/^crewhall_turn_wait_seconds_count\{kind="board",at="lock"\} [1-9]/m)
  expect(text).toMatch(
    /^crewhall_database_connection_wait_seconds_count\{reason="pool",handle="main"\} [1-9]/m,
  )
  const told = await (await fetch(`http://127.0.0.1:${workerPort + 1}/metrics`)).text()
  expect(told).toMatch(/^crewhall_oldest_job_seconds \d/m)
  expect(told).toMatch(/^crewhall_oldest_delivery_seconds \d/m)
})
