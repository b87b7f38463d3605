import { Histogram, type Metric, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { SeriesHistogram } from '#platform/metrics/series-histogram.ts'

test('exports what the histogram of the library exports', async () => {
  const config = {
    name: 'seconds',
    help: 'Time',
    labelNames: ['route', 'status'] as const,
    buckets: [0.1, 0.5, 1],
  }
  const [theirs, ours] = [new Registry(), new Registry()]
  const library = new Histogram({ ...config, buckets: [...config.buckets], registers: [theirs] })
  const own = new SeriesHistogram(config)
  ours.registerMetric(own as unknown as Metric)
  expect(await ours.metrics()).toBe(await theirs.metrics())
  const seen = [
    ['a', 200, 0.05],
    ['a', 200, 0.1],
    ['a', 404, 0.7],
    ['b "quoted"', 200, 3],
    ['a', 200, 0.5],
  ] as const
  for (const [route, status, seconds] of seen) {
    library.observe({ route, status }, seconds)
    own.labels({ route, status }).observe(seconds)
  }
  expect(await ours.metrics()).toBe(await theirs.metrics())
})
