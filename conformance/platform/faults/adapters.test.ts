import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type Fault, type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { productLimits } from '@crewhall/testkit/limits.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

const { mail, redis } = readServiceFacts()
const mailLimitMs = 1000
const server = useServer('probe', productLimits)
let smtp: FaultProxy
let cache: FaultProxy
/** A process that reaches mail and Redis through proxies. */
let api: ServerProcess

beforeAll(async () => {
  smtp = await startFaultProxy(mail.smtp)
  cache = await startFaultProxy(redis)
  api = await server.start('api', {
    SMTP_URL: smtp.through(mail.smtp_url),
    MAIL_TIMEOUT_MS: String(mailLimitMs),
    REDIS_URL: cache.through(redis.url),
  })
})
afterEach(() => {
  smtp.set({ kind: 'none' })
  cache.set({ kind: 'none' })
})
afterAll(async () => {
  await smtp?.close()
  await cache?.close()
})

async function post(url: string, path: string, body: object) {
  const begun = performance.now()
  const response = await fetch(`${url}/api/v1/probe/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    retry_after: response.headers.get('retry-after'),
    body: await response.json(),
    ms: performance.now() - begun,
  }
}

const letter = () => ({ to: `${randomUUID()}@${mail.domain}`, subject: 'Hello' })

const faults: { fault: Fault; detail: string }[] = [
  { fault: { kind: 'drop' }, detail: 'The mail cannot be reached' },
  { fault: { kind: 'reset' }, detail: 'The mail cannot be reached' },
  { fault: { kind: 'half_open' }, detail: 'The mail did not answer in time' },
  { fault: { kind: 'latency', ms: 2 * mailLimitMs }, detail: 'The mail did not answer in time' },
]

test.for(faults)(
  'a route that sends mail answers 503 in time while the line to the mail server has $fault.kind, and 202 after',
  async ({ fault, detail }) => {
    smtp.set(fault)
    const refused = await post(api.url, 'mails', letter())
    expect(refused).toMatchObject({ status: 503, retry_after: '1', body: { detail } })
    expect(refused.ms).toBeLessThan(mailLimitMs + 5000)
    smtp.set({ kind: 'none' })
    await waitFor(async () => (await post(api.url, 'mails', letter())).status === 202, 20_000)
  },
)

test('a process without mail and storage starts, serves, and answers 503 where it needs mail', async () => {
  const bare = await server.start('api', { SMTP_URL: '', S3_ENDPOINT: '' })
  expect((await fetch(`${bare.url}/api/v1/probe/rows/1`)).status).toBe(200)
  expect(await post(bare.url, 'mails', letter())).toMatchObject({
    status: 503,
    body: { detail: 'The mail is not configured' },
  })
})

test.for<Fault>([{ kind: 'drop' }, { kind: 'half_open' }, { kind: 'latency', ms: 2000 }])(
  'routes of the business are right while the line to Redis has $kind',
  async (fault) => {
    cache.set(fault)
    const health = await waitFor(async () => {
      const response = await fetch(`${api.url}/api/v1/system/health`)
      return response.status === 503 && response.json()
    }, 20_000)
    expect(health).toMatchObject({ services: { database: 'connected', redis: 'disconnected' } })
    const writes = []
    for (let n = 0; n < 3; n += 1) writes.push(await post(api.url, 'rows', { name: `while ${fault.kind}` }))
    expect(writes.map(({ status }) => status)).toEqual([201, 201, 201])
    // One that waits for Redis waits every time.
    const [written] = writes.sort((a, b) => a.ms - b.ms)
    if (!written) throw new Error('nothing was written')
    expect(written.ms).toBeLessThan(1000)
    const { id } = written.body as { id: number }
    const read = await fetch(`${api.url}/api/v1/probe/rows/${id}`)
    expect(await read.json()).toMatchObject({ name: `while ${fault.kind}` })
    cache.set({ kind: 'none' })
    await waitFor(async () => (await fetch(`${api.url}/api/v1/system/health`)).status === 200, 20_000)
  },
)
