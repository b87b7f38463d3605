import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLog } from '#platform/log/log.ts'
import { DueTimes } from '#platform/redis/due-times.ts'
import { createRedis } from '#platform/redis/redis.ts'

const log = createLog({ level: 'silent', process_name: 'test' })
const now = new Date('2026-03-01T00:00:00Z')
const later = (ms: number) => new Date(now.getTime() + ms)
let redis: Redis
let due: DueTimes
beforeAll(async () => {
  const prefix = `test-${randomUUID()}:`
  redis = createRedis({ url: readServiceFacts().redis.url, prefix, command_timeout_ms: 5000 }, log)
  await waitFor(() => redis.status === 'ready', 20_000)
})
beforeEach(async () => {
  await redis.del('due:things')
  due = new DueTimes(redis, 'things')
})
afterAll(async () => {
  await redis.del('due:things')
  redis.disconnect()
})

test('each is taken once, is told how late it is, and is due again after a time that is spread by a tenth', async () => {
  await due.fill(['a', 'b'], now, 1)
  await due.markFilled()
  const taken = await due.take(later(500), 10, 1000)
  expect(taken?.map(({ member }) => member).toSorted()).toEqual(['a', 'b'])
  for (const { late_ms } of taken ?? []) expect(late_ms).toBe(500)
  expect(await due.take(later(1300), 10, 1000)).toEqual([])
  expect(await due.take(later(1700), 10, 1000)).toHaveLength(2)
})

test('no more are taken than are wanted, the one that is due longest first', async () => {
  await due.hurry('old', now)
  await due.hurry('new', later(10))
  await due.markFilled()
  expect((await due.take(later(20), 1, 1000))?.map(({ member }) => member)).toEqual(['old'])
})

test('a list that was lost is told, though somebody has been added since', async () => {
  expect(await due.take(now, 10, 1000)).toBeUndefined()
  await due.hurry('a', now)
  expect(await due.take(later(1), 10, 1000)).toBeUndefined()
  await due.fill(['a', 'b'], now, 1)
  await due.markFilled()
  expect(await due.take(later(1), 10, 1000)).toHaveLength(2)
})

test('who is filled in again keeps its time, and who is removed is not due', async () => {
  await due.hurry('a', now)
  await due.hurry('b', now)
  await due.markFilled()
  await due.fill(['a'], later(60_000), 1000)
  await due.remove(['b'])
  expect((await due.take(later(1), 10, 1000))?.map(({ member }) => member)).toEqual(['a'])
})
