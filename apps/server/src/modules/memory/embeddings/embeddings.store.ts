import type { BrandCtx, BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import type { EmbeddedText } from './embedding.rules.ts'

export interface Model {
  readonly model: string
  readonly dimension: number
}
export interface Claimed {
  readonly id: string
  readonly mark: string
}
export interface Due {
  readonly brand_id: number
  readonly attempts: number
}

// One entry of the index for each workspace and number of attempts, up to the first of which something is due. Nothing is
// looked at while nothing is due, so what waits for a model that is away costs nothing.
const next = statement<{ after: number }, Due>(
  (p) => sql`with recursive heads as (
     (select brand_id, attempts, due_at from memory.embedding_queue
      where brand_id > ${p.after} and exists (select from memory.embedding_queue where due_at <= platform.now())
      order by brand_id, attempts, due_at limit 1)
     union all
     select n.* from heads h cross join lateral (
       select brand_id, attempts, due_at from memory.embedding_queue
       where (brand_id, attempts) > (h.brand_id, h.attempts)
       order by brand_id, attempts, due_at limit 1) n
     where h.due_at > platform.now())
   select brand_id, attempts from heads where due_at <= platform.now()`,
)

interface Claim {
  readonly attempts: number
  readonly limit: number
  readonly lease_seconds: number
}
const claim = brandStatement<Claim, Claimed>(
  (p) => sql`with due as materialized (
     select memory_id from memory.embedding_queue
     where brand_id = ${p.brand_id} and attempts = ${p.attempts} and due_at <= platform.now()
     order by due_at limit ${p.limit} for update skip locked),
   claimed as (
     update memory.embedding_queue q set attempts = q.attempts + 1,
       due_at = platform.now() + make_interval(secs => ${p.lease_seconds}::int)
     from due d where q.brand_id = ${p.brand_id} and q.memory_id = d.memory_id returning q.memory_id, q.mark)
   select memory_id as id, mark from claimed`,
)
// Read after the claim, and never in the same statement: the mark there is that of the row as it was locked, the text
// that of the snapshot before, and a change between the two would give an older text the mark of the newer one.
const texts = brandStatement<
  Model & { ids: readonly string[] },
  EmbeddedText & { id: string; embedded_hash: Buffer | null }
>(
  (p) => sql`select m.id, m.title, m.description, m.tags, m.body, e.text_hash as embedded_hash
   from memory.memories m left join memory.embeddings e on e.brand_id = m.brand_id and e.memory_id = m.id
     and e.model = ${p.model} and e.dimension = ${p.dimension}
   where m.brand_id = ${p.brand_id} and m.id = any(${p.ids}::uuid[])`,
)

interface Marked {
  readonly ids: readonly string[]
  readonly marks: readonly string[]
}
const putBack = brandStatement<Marked & { wait_seconds: number }, unknown>(
  (
    p,
  ) => sql`update memory.embedding_queue q set due_at = platform.now() + make_interval(secs => ${p.wait_seconds}::int)
   from unnest(${p.ids}::uuid[], ${p.marks}::uuid[]) as c (memory_id, mark)
   where q.brand_id = ${p.brand_id} and q.memory_id = c.memory_id and q.mark = c.mark`,
)

// In the order of those who change a memory: first its row, then its place in the queue.
const hold = brandStatement<{ ids: readonly string[] }, unknown>(
  (p) => sql`select from memory.memories where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[])
   order by id for key share`,
)
// A row of the queue with this mark says that the text is still the one that was embedded.
const complete = brandStatement<
  Marked & Model & { hashes: readonly Buffer[]; vectors: readonly string[] },
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
interface Made extends Model {
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
// The vector that is there is that of the text.
const release = brandStatement<Marked, unknown>(
  (
    p,
  ) => sql`delete from memory.embedding_queue q using unnest(${p.ids}::uuid[], ${p.marks}::uuid[]) as c (memory_id, mark)
   where q.brand_id = ${p.brand_id} and q.memory_id = c.memory_id and q.mark = c.mark`,
)

interface Walk extends Model {
  readonly at_brand: number
  readonly at_memory: string
  readonly is_done: boolean
}
const theWalk = statement<object, Walk>(
  () => sql`select model, dimension, at_brand, at_memory, is_done from memory.embedding_walk`,
)
// Locks the row as well, whether or not it changes.
const startWalk = statement<Model, unknown>(
  (p) => sql`insert into memory.embedding_walk (model, dimension) values (${p.model}, ${p.dimension})
   on conflict (is_only) do update set model = excluded.model, dimension = excluded.dimension, at_brand = 0,
     at_memory = excluded.at_memory, seen = 0, is_done = false
   where (embedding_walk.model, embedding_walk.dimension) <> (excluded.model, excluded.dimension)`,
)
const walk = statement<Omit<Walk, 'is_done'> & { limit: number }, { count: number }>(
  (p) => sql`with bitten as materialized (
     select m.brand_id, m.id from memory.memories m
     where (m.brand_id, m.id) > (${p.at_brand}, ${p.at_memory}::uuid)
     order by m.brand_id, m.id limit ${p.limit} for key share),
   queued as (
     insert into memory.embedding_queue (brand_id, memory_id)
     select b.brand_id, b.id from bitten b where not exists (
       select from memory.embeddings e where e.brand_id = b.brand_id and e.memory_id = b.id
         and e.model = ${p.model} and e.dimension = ${p.dimension})
     on conflict (brand_id, memory_id) do nothing),
   farthest as (select brand_id, id from bitten order by brand_id desc, id desc limit 1),
   moved as (
     update memory.embedding_walk w set at_brand = f.brand_id, at_memory = f.id,
       seen = w.seen + (select count(*) from bitten)
     from farthest f)
   select count(*)::int as count from bitten`,
)
const endWalk = statement<object, unknown>(() => sql`update memory.embedding_walk set is_done = true`)
const progress = statement<{ most: number }, { embeddings_waiting: number; embeddings_walked: number }>(
  (
    p,
  ) => sql`select (select count(*)::int from (select from memory.embedding_queue limit ${p.most}) q) as embeddings_waiting,
     coalesce((select seen from memory.embedding_walk where not is_done), 0)::int as embeddings_walked`,
)

/** The next workspace after this one that has something due, and how often that has failed. */
export const findDue = (ctx: SystemCtx, after: number) => ctx.overBrands().db.first(next, { after })
/** For the caller alone until the lease ends. */
export const claimDue = (ctx: BrandCtx, wanted: Claim) => ctx.db.all(claim, wanted)
/** Of what was claimed before, each with the digest of the text that its vector is of. */
export const listTexts = (ctx: BrandCtx, ids: readonly string[], { model, dimension }: Model) =>
  ctx.db.all(texts, { ids, model, dimension })
export const deleteQueued = (ctx: BrandCtx, these: Marked) => ctx.db.run(release, these)
export const updateFailed = (ctx: BrandCtx, failed: Marked & { wait_seconds: number }) =>
  ctx.db.run(putBack, failed)
export const lockMemories = (ctx: BrandTx, ids: readonly string[]) => ctx.db.run(hold, { ids })
/** Only of texts that have not changed since. Returns how many. */
export const insertVectors = async (ctx: BrandTx, vectors: Parameters<typeof complete.bind>[0]) =>
  (await ctx.db.first(complete, vectors))?.count ?? 0
/** Of a memory that this transaction has created: the queue finds a vector of this text and asks no model. */
export const insertVector = (ctx: BrandTx, made: Made) => ctx.db.run(put, made)
export const findWalk = (ctx: SystemCtx) => ctx.db.first(theWalk, {})
/** Begins, or begins again for another model. Until the commit, nobody else walks. */
export const insertWalk = (ctx: SystemTx, model: Model) => ctx.db.run(startWalk, model)
/** Queues those without a vector of this model among the next memories. Returns how many it has looked at. */
export const insertMissing = async (ctx: SystemTx, at: Omit<Walk, 'is_done'>, limit: number) =>
  (await ctx.db.first(walk, { ...at, limit }))?.count ?? 0
export const updateWalkDone = (ctx: SystemTx) => ctx.db.run(endWalk, {})
export const countProgress = (ctx: SystemCtx, most: number) => ctx.overBrands().db.first(progress, { most })
