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
