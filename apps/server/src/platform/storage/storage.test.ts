import { randomBytes, randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type Fault, type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#platform/clock/clock.ts'
import { createStorage, type Storage } from '#platform/storage/storage.ts'

const { s3 } = readServiceFacts()
const timeoutMs = 500
/** The limit, and room for a busy machine; two limits in a row would be too much. */
const patienceMs = timeoutMs + 5000
const own = `test-${randomUUID()}/`

const connectTo = (endpoint: string, timeout_ms: number, prefix = ''): Storage =>
  createStorage({
    endpoint,
    region: s3.region,
    bucket: s3.bucket,
    prefix,
    access_key_id: s3.access_key_id,
    secret_access_key: s3.secret_access_key,
    timeout_ms,
  })

let proxy: FaultProxy
let broken: Storage
const storage = connectTo(s3.endpoint, 10_000)
const text = (content: string) => ({ bytes: Buffer.from(content), content_type: 'text/plain' })

beforeAll(async () => {
  proxy = await startFaultProxy(s3)
  broken = connectTo(proxy.through(s3.endpoint), timeoutMs)
  await storage.put(outside, `${own}there`, text('hello'))
  await storage.put(outside, `${own}large`, { bytes: randomBytes(2_000_000), content_type: 'image/png' })
})
afterEach(() => proxy.set({ kind: 'none' }))
afterAll(async () => {
  for (const { key } of await storage.list(outside, own)) await storage.remove(outside, key)
  storage.close()
  broken.close()
  await proxy.close()
})

/** What the call fails with, and how long that took. */
async function failureOf(call: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const begun = performance.now()
  const error = await call.then(
    () => 'it did not fail',
    (reason: unknown) => reason,
  )
  return { error, ms: performance.now() - begun }
}

test('what is put is found with its bytes and its type, and gone when removed', async () => {
  const bytes = randomBytes(100_000)
  await storage.put(outside, `${own}a picture`, { bytes, content_type: 'image/webp' })
  const found = await storage.find(outside, `${own}a picture`)
  expect(found?.content_type).toBe('image/webp')
  expect(Buffer.from(found?.bytes ?? []).equals(bytes)).toBe(true)
  await storage.remove(outside, `${own}a picture`)
  expect(await storage.find(outside, `${own}a picture`)).toBeUndefined()
})

test('a key that was never put is not found, which is no outage', async () => {
  expect(await storage.find(outside, `${own}nothing`)).toBeUndefined()
})

test('removing what is not there is no error', async () => {
  await expect(storage.remove(outside, `${own}nothing`)).resolves.toBeUndefined()
})

test('keys are listed in order, by prefix and after a given one', async () => {
  for (const key of ['b', 'a', 'c']) await storage.put(outside, `${own}list/${key}`, text(key))
  const listed = async (options?: { after?: string; limit?: number }) =>
    (await storage.list(outside, `${own}list/`, options)).map(({ key }) => key.slice(`${own}list/`.length))
  expect(await listed()).toEqual(['a', 'b', 'c'])
  expect(await listed({ after: `${own}list/a` })).toEqual(['b', 'c'])
  expect(await listed({ limit: 2 })).toEqual(['a', 'b'])
  expect(await storage.list(outside, `${own}none/`)).toEqual([])
})

test('a listed object tells when it was put', async () => {
  const before = systemClock.now().getTime()
  await storage.put(outside, `${own}timed/a`, text('a'))
  const [found] = await storage.list(outside, `${own}timed/`)
  // The storage tells whole seconds.
  expect(Math.abs((found?.modified_at.getTime() ?? 0) - before)).toBeLessThan(5000)
})

test('two installations with prefixes of their own see only their own objects of one bucket', async () => {
  const [one, two] = ['one/', 'two/'].map((name) => connectTo(s3.endpoint, 10_000, own + name))
  await one?.put(outside, 'photos/a', text('of one'))
  await two?.put(outside, 'photos/b', text('of two'))
  expect((await one?.list(outside, 'photos/'))?.map(({ key }) => key)).toEqual(['photos/a'])
  expect((await two?.list(outside, '', { after: 'photos/' }))?.map(({ key }) => key)).toEqual(['photos/b'])
  expect(await one?.find(outside, 'photos/b')).toBeUndefined()
  await one?.remove(outside, 'photos/b')
  expect(await two?.find(outside, 'photos/b')).toBeDefined()
})

const calls = {
  put: () => broken.put(outside, `${own}broken`, text('x')),
  find: () => broken.find(outside, `${own}there`),
  remove: () => broken.remove(outside, `${own}broken`),
  list: () => broken.list(outside, own),
} as const
const faults: { fault: Fault; reason: string }[] = [
  { fault: { kind: 'half_open' }, reason: 'timeout' },
  { fault: { kind: 'latency', ms: 2 * timeoutMs }, reason: 'timeout' },
  { fault: { kind: 'reset' }, reason: 'unreachable' },
  { fault: { kind: 'drop' }, reason: 'unreachable' },
]
const names = Object.keys(calls) as (keyof typeof calls)[]

test.for(faults.flatMap((one) => names.map((call) => ({ ...one, call }))))(
  '$call over a line with $fault.kind is an outage by $reason within the limit',
  async ({ fault, reason, call }) => {
    // The connection is open and known to work when the fault strikes.
    expect(await broken.find(outside, `${own}there`)).toBeDefined()
    proxy.set(fault)
    const { error, ms } = await failureOf(calls[call]())
    expect(error).toMatchObject({ name: 'Outage', part: 'storage', reason, status: 503 })
    expect(ms).toBeLessThan(patienceMs)
    proxy.set({ kind: 'none' })
    expect(await broken.find(outside, `${own}there`)).toBeDefined()
  },
)

test.for([
  { kind: 'stall_after', bytes: 500_000, reason: 'timeout' },
  { kind: 'cut_after', bytes: 500_000, reason: 'unreachable' },
] as const)(
  'a body that stops on its way ($kind) is an outage by $reason within the limit',
  async ({ reason, ...fault }) => {
    proxy.set(fault)
    const { error, ms } = await failureOf(broken.find(outside, `${own}large`))
    expect(error).toMatchObject({ name: 'Outage', part: 'storage', reason })
    expect(ms).toBeLessThan(patienceMs)
  },
)

test('a storage that refuses connections is an outage', async () => {
  const closed = await startFaultProxy(s3)
  const endpoint = closed.through(s3.endpoint)
  await closed.close()
  const { error, ms } = await failureOf(connectTo(endpoint, timeoutMs).find(outside, 'any'))
  expect(error).toMatchObject({ name: 'Outage', part: 'storage', reason: 'unreachable' })
  expect(ms).toBeLessThan(patienceMs)
})

test.for(['put', 'find', 'remove', 'list'] as const)(
  '%s without a storage is an outage that says so',
  async (name) => {
    const absent = createStorage(undefined)
    const absentCalls = {
      put: () => absent.put(outside, 'key', text('x')),
      find: () => absent.find(outside, 'key'),
      remove: () => absent.remove(outside, 'key'),
      list: () => absent.list(outside, ''),
    }
    await expect(absentCalls[name]()).rejects.toMatchObject({
      name: 'Outage',
      part: 'storage',
      reason: 'not_configured',
      status: 503,
      detail: 'The storage is not configured',
    })
  },
)
