import { Health } from '@crewhall/contracts/system/system.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { productLimits } from '@crewhall/testkit/limits.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

const { postgres, redis } = readServiceFacts()
const lines = {
  database: await startFaultProxy({ host: postgres.host, port: postgres.port }),
  redis: await startFaultProxy({ host: redis.host, port: redis.port }),
}
afterAll(async () => {
  for (const line of Object.values(lines)) await line.close()
})
const server = useSharedServer('product')
let api: ServerProcess
beforeAll(async () => {
  api = await server.start('api', {
    ...productLimits,
    DATABASE_URL: lines.database.through(server.database.url),
    REDIS_URL: lines.redis.through(redis.url),
  })
})

const ask = async () => {
  const start = performance.now()
  const response = await fetch(`${api.url}/api/v1/system/health`)
  const body: unknown = await response.json()
  return { status: response.status, body, ms: performance.now() - start }
}
/** What was seen of the services is told for a second; after that the answer must be the new one. */
const askUntil = (status: number) =>
  waitFor(async () => {
    const answer = await ask()
    return answer.status === status && answer
  }, 20_000)

afterEach(async () => {
  for (const line of Object.values(lines)) line.set({ kind: 'none' })
  await askUntil(200)
})

const cases: [keyof typeof lines, FaultProxy][] = [
  ['database', lines.database],
  ['redis', lines.redis],
]
describe.each(cases)('with the line to the %s', (part, line) => {
  test('SYS-03 SYS-05 SYS-G1 cut, health answers 503 with the health object, and that service alone is disconnected', async () => {
    line.set({ kind: 'drop' })
    const { body } = await askUntil(503)
    expect(body).toEqual({
      status: 'degraded',
      timestamp: expect.any(String),
      services: { database: 'connected', redis: 'connected', [part]: 'disconnected' },
    })
    expect(Health.safeParse(body).success).toBe(true)
  })

  test('SYS-07 SYS-03 half open, health becomes 503 within its limit instead of hanging', async () => {
    line.set({ kind: 'half_open' })
    const answers: Awaited<ReturnType<typeof ask>>[] = []
    await waitFor(async () => {
      const answer = await ask()
      answers.push(answer)
      return answer.status === 503
    }, 20_000)
    expect(answers.at(-1)?.body).toMatchObject({ services: { [part]: 'disconnected' } })
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(5000)
  })

  test('SYS-02 back again, health is healthy without a restart', async () => {
    line.set({ kind: 'reset' })
    await askUntil(503)
    line.set({ kind: 'none' })
    expect((await askUntil(200)).body).toMatchObject({ status: 'healthy' })
  })
})

test('SYS-05 SYS-G1 with both lines cut, both are disconnected and nothing tells where they stand', async () => {
  for (const line of Object.values(lines)) line.set({ kind: 'drop' })
  const { body } = await waitFor(async () => {
    const answer = await ask()
    return JSON.stringify(answer.body).split('disconnected').length === 3 && answer
  }, 20_000)
  expect(JSON.stringify(body)).not.toMatch(/127\.0\.0\.1|ECONN|postgres|password|crewhall/i)
})
