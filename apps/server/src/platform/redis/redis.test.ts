import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type Fault, type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '#platform/log/log.ts'
import { createRedis, onRedis } from '#platform/redis/redis.ts'
import { RedisProbe } from '#platform/redis/redis-probe.ts'

const facts = readServiceFacts().redis
const timeoutMs = 300
/** The limit, and room for a busy machine. */
const patienceMs = timeoutMs + 5000
const log = createLog({ level: 'silent', process_name: 'test' })
const prefix = `test-${randomUUID()}:`
let proxy: FaultProxy
let redis: Redis

const connectTo = (url: string): Redis => createRedis({ url, prefix, command_timeout_ms: timeoutMs }, log)

beforeAll(async () => {
  proxy = await startFaultProxy(facts)
  redis = connectTo(proxy.through(facts.url))
  await waitFor(() => redis.status === 'ready', 20_000)
})
afterAll(async () => {
  await redis.del('key')
  redis.disconnect()
  await proxy.close()
})

async function failureOf(call: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const begun = performance.now()
  const error = await call.then(
    () => 'it did not fail',
    (reason: unknown) => reason,
  )
  return { error, ms: performance.now() - begun }
}

test('a command answers, under the prefix', async () => {
  await onRedis(redis.set('key', 'value', 'EX', 60))
  expect(await onRedis(redis.get('key'))).toBe('value')
  const direct = createRedis({ url: facts.url, prefix: '', command_timeout_ms: 2000 }, log)
  await waitFor(() => direct.status === 'ready', 20_000)
  expect(await direct.get(`${prefix}key`)).toBe('value')
  direct.disconnect()
})

const faults: { fault: Fault; reason: string }[] = [
  { fault: { kind: 'half_open' }, reason: 'timeout' },
  { fault: { kind: 'latency', ms: 2 * timeoutMs }, reason: 'timeout' },
  { fault: { kind: 'reset' }, reason: 'unreachable' },
  { fault: { kind: 'drop' }, reason: 'unreachable' },
]

test.for(faults)(
  'a command over a line with $fault.kind is an outage by $reason within the limit, and Redis comes back by itself',
  async ({ fault, reason }) => {
    await waitFor(() => redis.status === 'ready', 20_000)
    proxy.set(fault)
    const { error, ms } = await failureOf(onRedis(redis.get('key')))
    expect(error).toMatchObject({ name: 'Outage', part: 'redis', reason, status: 503 })
    expect(ms).toBeLessThan(patienceMs)
    proxy.set({ kind: 'none' })
    // The right answer, not one that belonged to a question asked before.
    await waitFor(async () => (await redis.get('key')) === 'value', 20_000)
    expect(await redis.echo('mine')).toBe('mine')
  },
)

test('commands under way fail when the line is reset, and none of them is run again later', async () => {
  await waitFor(async () => (await redis.set('count', '0', 'EX', 60)) === 'OK', 20_000)
  proxy.set({ kind: 'stall_after', bytes: 0 })
  const calls = Promise.all(Array.from({ length: 10 }, () => failureOf(onRedis(redis.incr('count')))))
  for (const { error, ms } of await calls) {
    expect(error).toMatchObject({ name: 'Outage', part: 'redis' })
    expect(ms).toBeLessThan(patienceMs)
  }
  proxy.set({ kind: 'none' })
  await waitFor(async () => (await redis.ping()) === 'PONG', 20_000)
  expect(await redis.getdel('count')).toBe('0')
})

test('a Redis that refuses connections is an outage at once', async () => {
  const closed = await startFaultProxy(facts)
  const url = closed.through(facts.url)
  await closed.close()
  const absent = connectTo(url)
  const { error, ms } = await failureOf(onRedis(absent.get('key')))
  absent.disconnect()
  expect(error).toMatchObject({ name: 'Outage', part: 'redis', reason: 'unreachable' })
  expect(ms).toBeLessThan(patienceMs)
})

test('the sign of life comes, and is missed within the limit over a line that opens and says nothing', async () => {
  const probe = new RedisProbe(facts.url, timeoutMs, log)
  expect(await probe.check()).toBe(true)
  probe.close()
  const silent = await startFaultProxy(facts)
  silent.set({ kind: 'half_open' })
  const deaf = new RedisProbe(silent.through(facts.url), timeoutMs, log)
  for (let n = 0; n < 4; n += 1) {
    const begun = performance.now()
    expect(await deaf.check()).toBe(false)
    expect(performance.now() - begun).toBeLessThan(patienceMs)
  }
  silent.set({ kind: 'none' })
  await waitFor(() => deaf.check(), 20_000)
  deaf.close()
  await silent.close()
})
