import { OfflineModel } from '@crewhall/server/platform/embeddings/offline.ts'
import { createLog } from '@crewhall/server/platform/log/log.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { CheckLine } from './check-line.ts'
import type { CorpusMemory, CorpusQuery } from './corpus.ts'
import { KnownVectors } from './known-vectors.ts'
import type { MemoryHost } from './memory-host.ts'
import type { Loaded } from './quality-check.ts'

const model = new OfflineModel(createLog({ level: 'silent', process_name: 'bench' }), { batch_ms: 60_000 })
export const { model: modelName, dimension } = model
export const openKnownVectors = (): KnownVectors => new KnownVectors(modelName)

/** One of so many is embedded in every run, and has to be as it was: it says whether the others still hold. */
const sampled = 25
const longestWaitMs = 900_000

type Row = { readonly memory_id: string; readonly text_hash: string; readonly vector: string }

const textsOf = ({ title, description = '', tags, body }: CorpusMemory) => [title, description, ...tags, body]

/** Puts down what is known of earlier runs. Workers do the rest, which `finishVectors` waits for. */
export async function beginVectors(
  host: MemoryHost,
  { workspace: { brand_id }, placed }: Loaded,
  known: KnownVectors,
): Promise<void> {
  const given = placed.flatMap(({ id, memory }, at) => {
    const vector = known.get(textsOf(memory))
    return vector && at % sampled !== 0 ? [{ id, ...vector }] : []
  })
  await host.sql(
    `with given as (select * from unnest($2::uuid[], $3::text[], $4::text[]) as g (id, text_hash, vector)),
     done as (delete from memory.embedding_queue q using given g
       where q.brand_id = $1 and q.memory_id = g.id returning q.memory_id)
     insert into memory.embeddings (brand_id, memory_id, agent_id, model, dimension, text_hash, vector)
     select m.brand_id, m.id, m.agent_id, $5, $6, decode(g.text_hash, 'hex'), g.vector::halfvec
     from done d join given g on g.id = d.memory_id
       join memory.memories m on m.brand_id = $1 and m.id = d.memory_id`,
    [
      brand_id,
      given.map(({ id }) => id),
      given.map(({ text_hash }) => text_hash),
      given.map(({ vector }) => vector),
      modelName,
      dimension,
    ],
  )
  await host.startWorkers()
}

/** All of them are there afterwards, made by the built-in model in the workers of this run or of an earlier one. */
export async function finishVectors(
  host: MemoryHost,
  { workspace: { brand_id }, placed }: Loaded,
  known: KnownVectors,
): Promise<CheckLine> {
  const read = async () => {
    await waitFor(
      async () =>
        (await host.sql('select from memory.embedding_queue where brand_id = $1 limit 1', [brand_id]))
          .length === 0,
      longestWaitMs,
    )
    const rows = await host.sql<Row>(
      `select memory_id, encode(text_hash, 'hex') as text_hash, vector::text from memory.embeddings
       where brand_id = $1 and model = $2`,
      [brand_id, modelName],
    )
    return new Map(rows.map((row) => [row.memory_id, row]))
  }
  let rows = await read()
  const before = placed.map(({ memory }) => known.get(textsOf(memory)))
  const earlier = before.filter((vector, at) => vector && at % sampled !== 0).length
  const isStale = placed.some(({ id }, at) => at % sampled === 0 && !isSame(before[at], rows.get(id)))
  if (isStale && earlier > 0) {
    known.clear()
    await host.sql(
      `with gone as (delete from memory.embeddings where brand_id = $1 returning memory_id)
       insert into memory.embedding_queue (brand_id, memory_id) select $1, memory_id from gone`,
      [brand_id],
    )
    rows = await read()
  }
  for (const { id, memory } of placed) {
    const row = rows.get(id)
    if (row) known.set(textsOf(memory), { text_hash: row.text_hash, vector: row.vector })
  }
  known.keep()
  await host.stopWorkers()
  const reused = isStale ? 0 : earlier
  return {
    check: '',
    what: `vectors of the built-in model (${modelName}), by two workers`,
    measured: `${rows.size}: ${rows.size - reused} made now, ${reused} kept from an earlier run`,
    bar: `${placed.length}`,
    is_met: rows.size >= placed.length,
    is_promise: true,
  }
}

/** The same text, and the same direction but for rounding. */
function isSame(known: { text_hash: string; vector: string } | undefined, row: Row | undefined): boolean {
  if (!known || !row || known.text_hash !== row.text_hash) return false
  const [a, b] = [known, row].map(({ vector }) => JSON.parse(vector) as number[])
  const product = a?.reduce((sum, value, at) => sum + value * (b?.[at] ?? 0), 0) ?? 0
  return product > 0.999
}

/** Of the questions, for the statements by SQL alone: the model of the product, without its queue. */
export async function queryVectors(
  queries: readonly CorpusQuery[],
  known: KnownVectors,
): Promise<ReadonlyMap<string, string>> {
  const missing = queries.filter(({ query }) => !known.get([query]))
  const { pieces } = model.batch
  for (let at = 0; at < missing.length; at += pieces) {
    const batch = missing.slice(at, at + pieces)
    const texts = batch.map(({ query }) => query)
    const vectors = await model.embed(texts, 'query', AbortSignal.timeout(60_000))
    for (const [n, text] of texts.entries())
      known.set([text], { text_hash: '', vector: `[${vectors[n]?.join(',')}]` })
  }
  await model.close()
  known.keep()
  return new Map(queries.map(({ query }) => [query, known.get([query])?.vector ?? '']))
}
