import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { describe, expect, test } from 'vitest'

const server = useSharedServer('probe')

const get = (api: ServerProcess, path: string) => fetch(`${api.url}${path}`)
const slow = (api: ServerProcess, ms: number) => get(api, `/api/v1/probe/slow?ms=${ms}`)
/** Looks from the side of the database, which a busy process cannot colour. */
const sleeping = (count: number, limitMs = 10_000) =>
  waitFor(async () => {
    const rows = await server.sql(
      `select from pg_stat_activity
       where datname = current_database() and state = 'active' and query like 'select pg_sleep%'`,
    )
    return rows.length === count
  }, limitMs)

describe('a process at its limit of requests', () => {
  test('sheds the next with 503 and Retry-After, answers health, and recovers', async () => {
    const api = await server.start('api', { HTTP_MAX_IN_FLIGHT: '2' })
    const first = [slow(api, 5000), slow(api, 5000)]
    await sleeping(2)

    const shed = await get(api, '/api/v1/system/info')
    expect([shed.status, await shed.json()]).toEqual([503, { detail: 'The service is overloaded' }])
    expect(shed.headers.get('retry-after')).toBe('1')
    expect((await get(api, '/api/v1/system/health')).status).toBe(200)

    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200])
    expect((await get(api, '/api/v1/system/info')).status).toBe(200)
  })

  test('counts a caller who hung up no longer', async () => {
    await sleeping(0)
    const api = await server.start('api', { HTTP_MAX_IN_FLIGHT: '1' })
    const gone = new AbortController()
    const held = fetch(`${api.url}/api/v1/probe/slow?ms=20000`, { signal: gone.signal })
    await sleeping(1)
    expect((await get(api, '/api/v1/system/info')).status).toBe(503)
    gone.abort()
    await expect(held).rejects.toThrow()
    const back = await waitFor(async () => (await get(api, '/api/v1/system/info')).status === 200, 20_000)
    expect(back).toBe(true)
  })
})

test('K3: a request that outlasts the deadline is 503 in time, and what it asked for ends', async () => {
  const api = await server.start('api', { HTTP_DEADLINE_MS: '300' })
  const start = performance.now()
  const response = await slow(api, 20_000)
  const ms = performance.now() - start
  expect([response.status, await response.json()]).toEqual([
    503,
    { detail: 'The service did not answer in time' },
  ])
  expect(response.headers.get('retry-after')).toBe('1')
  expect(ms).toBeGreaterThan(280)
  // Neither the answer nor the end has waited for the statement itself.
  expect(ms).toBeLessThan(10_000)
  await sleeping(0, 5000)
})

test('a process whose log is no longer read ends when it is told to', async () => {
  const api = await server.start('api')
  api.child.stdout?.destroy()
  expect(await api.stop()).toBe(0)
})

test('a process that is told to stop finishes what it began, takes nothing new and ends with 0', async () => {
  await sleeping(0)
  const api = await server.start('api')
  let settled = false
  const held = slow(api, 6000).finally(() => {
    settled = true
  })
  await sleeping(1)
  api.child.kill('SIGTERM')
  await waitFor(
    () =>
      get(api, '/api/v1/system/info').then(
        () => false,
        () => true,
      ),
    5500,
  )
  expect(settled).toBe(false)
  const response = await held
  expect([response.status, await response.json()]).toEqual([200, { waited_ms: 6000 }])
  expect(response.headers.get('connection')).toBe('close')
  expect(await api.ended).toBe(0)
})
