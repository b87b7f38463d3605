import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { type EmbeddingModel, embeddingQueue, type Marked } from '#platform/db/embedding-queue.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import type { EmbeddedText } from './embedding.rules.ts'

/** Of memories. */
export const memoryQueue = embeddingQueue({
  rows: 'memory.memories',
  queue: 'memory.embedding_queue',
  vectors: 'memory.embeddings',
  walk: 'memory.embedding_walk',
  noun: 'memory',
})

const texts = brandStatement<
  EmbeddingModel & { ids: readonly string[] },
  EmbeddedText & { id: string; embedded_hash: Buffer | null }
>(
  (p) => sql`select m.id, m.title, m.description, m.tags, m.body, e.text_hash as embedded_hash
   from memory.memories m left join memory.embeddings e on e.brand_id = m.brand_id and e.memory_id = m.id
     and e.model = ${p.model} and e.dimension = ${p.dimension}
   where m.brand_id = ${p.brand_id} and m.id = any(${p.ids}::uuid[])`,
)

// A row of the queue with this mark says that the text is still the one that was embedded.
const complete = brandStatement<
  Marked & EmbeddingModel & { hashes: readonly Buffer[]; vectors: readonly string[] },
  { count: number }
>(
  (p) => sql`with vectors as (
     select * from unnest(${p.ids}::uuid[], ${p.marks}::uuid[], ${p.hashes}::bytea[], ${p.vectors}::text[])
       as v (memory_id, mark, text_hash, vector)),
   done as (
     delete from memory.embedding_queue q using vectors v
     where q.brand_id = ${p.brand_id} and q.memory_id = v.memory_id and q.mark = v.mark
     returning q.memory_id),
   others as (
     delete from memory.embeddings e using done d
     where e.brand_id = ${p.brand_id} and e.memory_id = d.memory_id and e.model <> ${p.model}),
   kept as (
     insert into memory.embeddings (brand_id, memory_id, agent_id, model, dimension, text_hash, vector)
     select m.brand_id, m.id, m.agent_id, ${p.model}, ${p.dimension}, v.text_hash, v.vector::halfvec
     from done d join vectors v on v.memory_id = d.memory_id
       join memory.memories m on m.brand_id = ${p.brand_id} and m.id = d.memory_id
     on conflict (brand_id, memory_id, model) do update set dimension = excluded.dimension,
       text_hash = excluded.text_hash, vector = excluded.vector, created_at = excluded.created_at
     returning 1)
   select count(*)::int as count from kept`,
)
interface Made extends EmbeddingModel {
  readonly id: string
  readonly agent_id: string
  readonly text_hash: Buffer
  readonly vector: string
}
const put = brandStatement<Made, unknown>(
  (
    p,
  ) => sql`insert into memory.embeddings (brand_id, memory_id, agent_id, model, dimension, text_hash, vector)
   values (${p.brand_id}, ${p.id}, ${p.agent_id}, ${p.model}, ${p.dimension}, ${p.text_hash}, ${p.vector}::halfvec)`,
)
const progress = statement<{ most: number }, { embeddings_waiting: number; embeddings_walked: number }>(
  (
    p,
  ) => sql`select (select count(*)::int from (select from memory.embedding_queue limit ${p.most}) q) as embeddings_waiting,
     coalesce((select seen from memory.embedding_walk where not is_done), 0)::int as embeddings_walked`,
)

/** Of what was claimed before, each with the digest of the text that its vector is of. */
export const listTexts = (ctx: BrandCtx, ids: readonly string[], { model, dimension }: EmbeddingModel) =>
  ctx.db.all(texts, { ids, model, dimension })
/** Only of texts that have not changed since. Returns how many. */
export const insertVectors = async (ctx: BrandTx, vectors: Parameters<typeof complete.bind>[0]) =>
  (await ctx.db.first(complete, vectors))?.count ?? 0
/** Of a memory that this transaction has created: the queue finds a vector of this text and asks no model. */
export const insertVector = (ctx: BrandTx, made: Made) => ctx.db.run(put, made)
export const countProgress = (ctx: SystemCtx, most: number) => ctx.overBrands().db.first(progress, { most })
