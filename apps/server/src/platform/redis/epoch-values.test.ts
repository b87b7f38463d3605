import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '#platform/log/log.ts'
import { EpochValues } from '#platform/redis/epoch-values.ts'
import { createRedis } from '#platform/redis/redis.ts'

const log = createLog({ level: 'silent', process_name: 'test' })
const prefix = `test-${randomUUID()}:`
const redis = createRedis({ url: readServiceFacts().redis.url, prefix, command_timeout_ms: 1000 }, log)
beforeAll(async () => {
  // The connection may have been made while the file was still loading.
  if (redis.status !== 'ready') await once(redis, 'ready')
})
afterAll(() => redis.disconnect())
const values = () => new EpochValues(redis, randomUUID())

test('a value is there until the epoch of its group ends', async () => {
  const kept = values()
  const { epoch, value } = await kept.read('1', 'a')
  expect(value).toBeNull()
  expect(await kept.keep('1', 'a', epoch, 'x', 60_000)).toBe(true)
  expect(await kept.read('1', 'a')).toEqual({ epoch, value: 'x' })
  expect((await kept.read('1', 'b')).value).toBeNull()
  expect((await kept.read('2', 'a')).value).toBeNull()
  await kept.end('2')
  expect((await kept.read('1', 'a')).value).toBe('x')
  await kept.end('1')
  expect((await kept.read('1', 'a')).value).toBeNull()
})

test('what was read before an epoch ended is not kept under the next one', async () => {
  const kept = values()
  const { epoch } = await kept.read('1', 'a')
  await kept.end('1')
  expect(await kept.keep('1', 'a', epoch, 'old', 60_000)).toBe(false)
  expect((await kept.read('1', 'a')).value).toBeNull()
})

test('the end of all epochs ends those of every group', async () => {
  const kept = values()
  for (const group of ['1', '2']) {
    const { epoch } = await kept.read(group, 'a')
    await kept.keep(group, 'a', epoch, 'x', 60_000)
  }
  const { epoch } = await kept.read('1', 'a')
  await kept.endAll()
  for (const group of ['1', '2']) expect((await kept.read(group, 'a')).value).toBeNull()
  expect(await kept.keep('1', 'a', epoch, 'old', 60_000)).toBe(false)
})

test('when Redis has lost everything, nothing of before is kept', async () => {
  const kept = values()
  const { epoch } = await kept.read('1', 'a')
  const all = await redis.keys(`${prefix}*`)
  await redis.del(all.map((key) => key.slice(prefix.length)))
  expect(await kept.keep('1', 'a', epoch, 'old', 60_000)).toBe(false)
  expect((await kept.read('1', 'a')).epoch).not.toBe(epoch)
})
