import { Health } from '@crewhall/contracts/system/system.ts'
import { startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { usePrivateServer } from '@crewhall/testkit/private/private-server.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'

const server = usePrivateServer()
const { services } = server
let api: ServerProcess

beforeAll(async () => {
  api = await server.start()
})

interface Answer {
  readonly status: number
  readonly body: unknown
  readonly ms: number
}

async function askHealth(url = api.url): Promise<Answer> {
  const asked = performance.now()
  const response = await fetch(`${url}/api/v1/system/health`, { signal: AbortSignal.timeout(10_000) })
  const body: unknown = await response.json()
  return { status: response.status, body, ms: performance.now() - asked }
}

/** Asks until the answer has the status. Every answer on the way counts: none may be slow or of another shape. */
async function healthBecomes(
  status: 200 | 503,
  limitMs: number,
  url = api.url,
): Promise<Answer & { after_ms: number }> {
  const begun = performance.now()
  return waitFor(async () => {
    const answer = await askHealth(url)
    slowest = Math.max(slowest, answer.ms)
    odd.push(...(Health.safeParse(answer.body).success ? [] : [answer.body]))
    return answer.status === status && { ...answer, after_ms: performance.now() - begun }
  }, limitMs)
}
const medianOf = (answers: readonly Answer[]): number =>
  answers.map(({ ms }) => ms).toSorted((a, b) => a - b)[answers.length >> 1] ?? Number.NaN
let slowest = 0
let odd: unknown[] = []

const degraded = (database: string, redis: string) => ({
  status: 'degraded',
  timestamp: expect.any(String),
  services: { database, redis },
})

interface Case {
  readonly fault: string
  readonly part: 'postgres' | 'redis'
  readonly seen: ReturnType<typeof degraded>
  strike(): Promise<void>
  heal(): Promise<void>
}

const dead = { postgres: degraded('disconnected', 'connected'), redis: degraded('connected', 'disconnected') }
const cases = (['postgres', 'redis'] as const).flatMap((part): Case[] => [
  {
    fault: 'stopped',
    part,
    seen: dead[part],
    strike: () => services.stop(part),
    heal: () => services.start(part),
  },
  {
    fault: 'frozen',
    part,
    seen: dead[part],
    strike: () => services.signal(part, 'SIGSTOP'),
    heal: () => services.signal(part, 'SIGCONT'),
  },
])

test.for(cases)(
  'SYS-02 SYS-03 SYS-05 SYS-07 SYS-G1 with $part $fault, health is a 503 that names only it, and 200 after its return',
  async ({ fault, part, seen, strike, heal }) => {
    slowest = 0
    odd = []
    await healthBecomes(200, 20_000)
    await strike()
    try {
      const lost = await healthBecomes(503, 20_000)
      expect(lost.body).toEqual(seen)
    } finally {
      await heal()
    }
    const back = await healthBecomes(200, 20_000)
    expect(back.body).toMatchObject({
      status: 'healthy',
      services: { database: 'connected', redis: 'connected' },
    })
    expect(slowest).toBeLessThan(1500)
    expect(odd).toEqual([])
    console.log(
      `${part} ${fault}: slowest answer ${slowest.toFixed(0)} ms, healthy ${back.after_ms.toFixed(0)} ms after its return`,
    )
  },
)

test('SYS-03 SYS-05 with both services killed, health is a 503 that names both', async () => {
  await services.signal('postgres', 'SIGKILL')
  await services.signal('redis', 'SIGKILL')
  try {
    const lost = await waitFor(async () => {
      const { status, body } = await askHealth()
      const { services: states } = Health.parse(body)
      return states.database === 'disconnected' && states.redis === 'disconnected' && { status, body }
    }, 20_000)
    expect(lost).toEqual({ status: 503, body: degraded('disconnected', 'disconnected') })
  } finally {
    await Promise.all([services.start('postgres'), services.start('redis')])
  }
  await healthBecomes(200, 20_000)
})

describe('a line that was cut without a word', () => {
  test.for([
    { part: 'postgres' as const, setting: 'DATABASE_URL' },
    { part: 'redis' as const, setting: 'REDIS_URL' },
  ])(
    'SYS-03 SYS-05 SYS-07 a half-open line to $part makes health a 503 within 1.5 s, and 200 when new lines work',
    async ({ part, setting }) => {
      const { host, port, url } = services.facts[part]
      const proxy = await startFaultProxy({ host, port })
      onTestFinished(() => proxy.close())
      const own = await server.start({ [setting]: proxy.through(url) })
      await healthBecomes(200, 20_000, own.url)
      slowest = 0
      proxy.set({ kind: 'half_open' })
      const lost = await healthBecomes(503, 20_000, own.url)
      expect(lost.body).toEqual(dead[part])
      proxy.set({ kind: 'none' })
      await healthBecomes(200, 20_000, own.url)
      expect(slowest).toBeLessThan(1500)
    },
  )

  test('SYS-03 SYS-07 a process that starts while both lines are dead is up and answers 503 within 1.5 s', async () => {
    const { postgres, redis } = services.facts
    const database = await startFaultProxy(postgres)
    const cache = await startFaultProxy(redis)
    onTestFinished(() => database.close())
    onTestFinished(() => cache.close())
    database.set({ kind: 'half_open' })
    cache.set({ kind: 'half_open' })
    const own = await server.start({
      DATABASE_URL: database.through(postgres.url),
      REDIS_URL: cache.through(redis.url),
    })
    const answers = [await askHealth(own.url), await askHealth(own.url)]
    for (const { status, body, ms } of answers) {
      expect(status).toBe(503)
      expect(body).toEqual(degraded('disconnected', 'disconnected'))
      expect(ms).toBeLessThan(1500)
    }
    database.set({ kind: 'none' })
    cache.set({ kind: 'none' })
    await healthBecomes(200, 20_000, own.url)
  })
})

test('SYS-02 SYS-07 a full connection pool neither fails nor slows health', async () => {
  const own = await server.start({ DATABASE_POOL_SIZE: '2' })
  await healthBecomes(200, 20_000, own.url)
  const slow = Array.from({ length: 8 }, () => fetch(`${own.url}/api/v1/probe/slow?ms=3000`))
  const answers: Answer[] = []
  const full = Promise.race(slow)
  const isFull = Symbol('no slow call has been answered yet')
  // The first slow call is answered when it waited too long for a connection: until then the pool is full.
  while ((await Promise.race([full, waitFor(() => isFull, 100)])) === isFull)
    answers.push(await askHealth(own.url))
  expect((await full).status).toBe(503)
  expect(answers.length).toBeGreaterThan(5)
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  // The machine may stall for a moment; a pool that is in the way would slow all of them.
  expect(medianOf(answers)).toBeLessThan(250)
  const statuses = await Promise.all(slow.map(async (call) => (await call).status))
  expect(statuses.filter((status) => status === 200)).toHaveLength(2)
})

test('SYS-02 health is answered while a process sheds load', async () => {
  const own = await server.start({ HTTP_MAX_IN_FLIGHT: '2' })
  await healthBecomes(200, 20_000, own.url)
  const held = Array.from({ length: 2 }, () => fetch(`${own.url}/api/v1/probe/slow?ms=4000`))
  await waitFor(async () => (await fetch(`${own.url}/api/v1/probe/rows/1`)).status === 503, 3500)
  const answers = [await askHealth(own.url), await askHealth(own.url), await askHealth(own.url)]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(medianOf(answers)).toBeLessThan(250)
  const statuses = await Promise.all(held.map(async (call) => (await call).status))
  expect(statuses).toEqual([200, 200])
})

test('SYS-07 health answers in under 50 ms when all is well', async () => {
  await healthBecomes(200, 20_000)
  const answers: Answer[] = []
  for (let n = 0; n < 100; n += 1) answers.push(await askHealth())
  expect(medianOf(answers)).toBeLessThan(50)
})
