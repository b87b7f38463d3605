import { leastLikeness } from '@crewhall/contracts/lessons/sync.ts'
import { afterAll, expect, test } from 'vitest'
import { ProvidedEmbeddings } from '#platform/embeddings/embeddings.ts'
import { OfflineModel } from '#platform/embeddings/offline.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'

const log = createLog({ level: 'silent', process_name: 'test' })
const provider = new OfflineModel(log, { batch_ms: 110_000 })
const embeddings = new ProvidedEmbeddings(provider, 110_000, log, createMetrics())
afterAll(() => provider.close())

const embed = (texts: readonly string[]) =>
  embeddings.embed({ is_outside: true }, texts, { kind: 'document', owner: '1' })
const cosine = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  Array.from(a ?? []).reduce((sum, value, n) => sum + value * (b?.[n] ?? 0), 0)

const lessons = [
  'Invoice totals are rounded half to even, once, after all lines are summed. Never round a single line.',
  'The login page must not say whether an email address exists. Send the same answer for both cases.',
  'Database migrations run before the new version starts, so the old code must work with new tables.',
  'Uploaded pictures are decoded in a child process, because a broken file can crash the decoder.',
  'The search box waits three hundred milliseconds after the last key before it asks the server.',
  'Docker images are built without network access; add new packages to the cache first.',
  'Phone numbers are stored with their country code, and shown in the format of the reader.',
  'Kafka consumers must be idempotent, since the broker delivers a message again after a crash.',
]
/** The same with a word or two changed. */
const edited = lessons.map((text, n) =>
  text.replace(/\.$/, n % 2 === 0 ? ', always.' : '. This is important.').replace('must', 'should'),
)

test('LES-79: 8 of 8 small edits are at 0.90 and above, and all pairs of different lessons below 0.70', async () => {
  const vectors = await embed([...lessons, ...edited])
  const copies = lessons.map((_, n) => cosine(vectors[n], vectors[n + lessons.length]))
  expect(copies.filter((likeness) => likeness < leastLikeness)).toEqual([])
  const others = lessons.flatMap((a, n) =>
    lessons.flatMap((b, m) => (n === m ? [] : [{ a, b, likeness: cosine(vectors[n], vectors[m]) }])),
  )
  expect(others).toHaveLength(56)
  expect(others.filter(({ likeness }) => likeness >= 0.7)).toEqual([])
})

test('LES-78: a negated rule is like the rule, so a hit may be a contradiction', async () => {
  const rule = 'Always close the database connection in the handler after the response was sent.'
  const [a, b] = await embed([rule, rule.replace('Always', 'Never')])
  expect(cosine(a, b)).toBeGreaterThanOrEqual(leastLikeness)
})

test('LES-79: texts that are equal in their first 128 tokens and different after are not identical', async () => {
  const same =
    'The build cache is keyed by the digest of the lock file and by the version of the compiler. '.repeat(12)
  const [a, b] = await embed([
    `${same}Remove it when the compiler changes.`,
    `${same}${'Penguins huddle in winter storms while whales sing below the ice. '.repeat(6)}`,
  ])
  expect(cosine(a, b)).toBeLessThan(0.999)
})
