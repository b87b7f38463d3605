import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { createMetrics } from '#platform/metrics/metrics.ts'

test('a scrape reads all counts at once, and the next one reads them again', async () => {
  const metrics = createMetrics()
  let reads = 0
  metrics.watchCounts(async () => {
    reads += 1
    if (reads === 3) throw new Error('away')
    return { embeddings_waiting: reads, embeddings_walked: 10 * reads }
  })
  const scrape = async () =>
    (await metrics.registry.metrics()).match(/^crewhall_embeddings_.*$/gm)?.toSorted()
  expect(await scrape()).toEqual(['crewhall_embeddings_waiting 1', 'crewhall_embeddings_walked 10'])
  expect(await scrape()).toEqual(['crewhall_embeddings_waiting 2', 'crewhall_embeddings_walked 20'])
  expect(await scrape()).toEqual(['crewhall_embeddings_waiting -1', 'crewhall_embeddings_walked -1'])
  expect(reads).toBe(3)
})

test('a silent database costs a scrape its limit, is told as -1, and is asked once at a time', async () => {
  const metrics = createMetrics(50)
  let asked = 0
  let answers = Promise.withResolvers<number>()
  metrics.watchOldest('job', () => {
    asked += 1
    return answers.promise
  })
  metrics.watchCounts(() => new Promise(() => {}))
  const scrape = async () =>
    (await metrics.registry.metrics()).match(/^crewhall_(oldest|embeddings)_.*$/gm)?.toSorted()
  const unknown = ['crewhall_embeddings_waiting -1', 'crewhall_embeddings_walked -1']
  for (let n = 0; n < 3; n += 1)
    expect(await scrape()).toEqual([...unknown, 'crewhall_oldest_job_seconds -1'])
  expect(asked).toBe(1)
  answers.resolve(7)
  await answers.promise
  answers = Promise.withResolvers()
  answers.resolve(8)
  await waitFor(async () => (await scrape())?.includes('crewhall_oldest_job_seconds 8'), 5000)
  expect(asked).toBe(2)
})
