import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { type EmbeddingModel, embeddingQueue, type Marked } from '#platform/db/embedding-queue.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

/** Of lessons. */
export const lessonQueue = embeddingQueue({
  rows: 'lessons.lessons',
  queue: 'lessons.vector_queue',
  vectors: 'lessons.vectors',
  walk: 'lessons.vector_walk',
  noun: 'lesson',
})

const bodies = brandStatement<
  EmbeddingModel & { ids: readonly string[] },
  { id: string; body: string; text_hash: Buffer | null }
>(
  (p) => sql`select l.id, l.body, v.text_hash from lessons.lessons l
   left join lessons.vectors v on v.brand_id = l.brand_id and v.lesson_id = l.id and v.model = ${p.model}
     and v.dimension = ${p.dimension}
   where l.brand_id = ${p.brand_id} and l.id = any(${p.ids}::uuid[])`,
)
interface Vectors extends EmbeddingModel {
  readonly ids: readonly string[]
  readonly hashes: readonly Buffer[]
  readonly vectors: readonly string[]
}
const written = `insert into lessons.vectors (brand_id, lesson_id, model, dimension, text_hash, vector)`
const replaced = `on conflict (brand_id, lesson_id) do update set model = excluded.model, dimension = excluded.dimension,
     text_hash = excluded.text_hash, vector = excluded.vector, created_at = platform.now()`
// A row of the queue with this mark says that the text is still the one that was embedded.
const complete = brandStatement<Vectors & Marked, unknown>(
  (p) => sql`with done as (
     delete from lessons.vector_queue q
     using unnest(${p.ids}::uuid[], ${p.marks}::uuid[], ${p.hashes}::bytea[], ${p.vectors}::text[])
       as c (lesson_id, mark, hash, vector)
     where q.brand_id = ${p.brand_id} and q.lesson_id = c.lesson_id and q.mark = c.mark
     returning c.lesson_id, c.hash, c.vector)
   ${written}
   select ${p.brand_id}::int, lesson_id, ${p.model}::text, ${p.dimension}::int, hash, vector::halfvec from done
   ${replaced}`,
)
// By whoever has written the texts with the same transaction.
const put = brandStatement<Vectors, unknown>(
  (p) => sql`with done as (
     delete from lessons.vector_queue where brand_id = ${p.brand_id} and lesson_id = any(${p.ids}::uuid[]))
   ${written}
   select ${p.brand_id}::int, c.lesson_id, ${p.model}::text, ${p.dimension}::int, c.hash, c.vector::halfvec
   from unnest(${p.ids}::uuid[], ${p.hashes}::bytea[], ${p.vectors}::text[]) as c (lesson_id, hash, vector)
   ${replaced}`,
)

/** Of what was claimed before, each with the digest of the text that its vector is of. */
export const listBodies = (ctx: BrandCtx, ids: readonly string[], { model, dimension }: EmbeddingModel) =>
  ctx.db.all(bodies, { ids, model, dimension })
/** Only of texts that have not changed since. */
export const insertVectors = (ctx: BrandTx, vectors: Vectors & Marked) => ctx.db.run(complete, vectors)
/** Of texts that the same transaction has written. */
export const insertVectorsOf = (ctx: BrandTx, vectors: Vectors) => ctx.db.run(put, vectors)
