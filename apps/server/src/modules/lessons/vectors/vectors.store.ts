import type { BrandCtx, BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

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

// One entry of the index for each workspace and number of attempts, up to the first of which something is due.
const next = statement<{ after: number }, Due>(
  (p) => sql`with recursive heads as (
     (select brand_id, attempts, due_at from lessons.vector_queue
      where brand_id > ${p.after} and exists (select from lessons.vector_queue where due_at <= platform.now())
      order by brand_id, attempts, due_at limit 1)
     union all
     select n.* from heads h cross join lateral (
       select brand_id, attempts, due_at from lessons.vector_queue
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
     select lesson_id from lessons.vector_queue
     where brand_id = ${p.brand_id} and attempts = ${p.attempts} and due_at <= platform.now()
     order by due_at limit ${p.limit} for update skip locked),
   claimed as (
     update lessons.vector_queue q set attempts = q.attempts + 1,
       due_at = platform.now() + make_interval(secs => ${p.lease_seconds}::int)
     from due d where q.brand_id = ${p.brand_id} and q.lesson_id = d.lesson_id returning q.lesson_id, q.mark)
   select lesson_id as id, mark from claimed`,
)
// Read after the claim, and never in the same statement: a change between the two would give an older text the mark of
// the newer one.
const bodies = brandStatement<
  Model & { ids: readonly string[] },
  { id: string; body: string; text_hash: Buffer | null }
>(
  (p) => sql`select l.id, l.body, v.text_hash from lessons.lessons l
   left join lessons.vectors v on v.brand_id = l.brand_id and v.lesson_id = l.id and v.model = ${p.model}
     and v.dimension = ${p.dimension}
   where l.brand_id = ${p.brand_id} and l.id = any(${p.ids}::uuid[])`,
)
interface Marked {
  readonly ids: readonly string[]
  readonly marks: readonly string[]
}
const putBack = brandStatement<Marked & { wait_seconds: number }, unknown>(
  (
    p,
  ) => sql`update lessons.vector_queue q set due_at = platform.now() + make_interval(secs => ${p.wait_seconds}::int)
   from unnest(${p.ids}::uuid[], ${p.marks}::uuid[]) as c (lesson_id, mark)
   where q.brand_id = ${p.brand_id} and q.lesson_id = c.lesson_id and q.mark = c.mark`,
)
const release = brandStatement<Marked, unknown>(
  (
    p,
  ) => sql`delete from lessons.vector_queue q using unnest(${p.ids}::uuid[], ${p.marks}::uuid[]) as c (lesson_id, mark)
   where q.brand_id = ${p.brand_id} and q.lesson_id = c.lesson_id and q.mark = c.mark`,
)
// In the order of those who change a lesson: first its row, then its place in the queue.
const hold = brandStatement<{ ids: readonly string[] }, unknown>(
  (p) => sql`select from lessons.lessons where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[])
   order by id for key share`,
)

interface Vectors extends Model {
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

interface Walk extends Model {
  readonly at_brand: number
  readonly at_lesson: string
  readonly is_done: boolean
}
const theWalk = statement<object, Walk>(
  () => sql`select model, dimension, at_brand, at_lesson, is_done from lessons.vector_walk`,
)
// Locks the row as well, whether or not it changes.
const startWalk = statement<Model, unknown>(
  (p) => sql`insert into lessons.vector_walk (model, dimension) values (${p.model}, ${p.dimension})
   on conflict (is_only) do update set model = excluded.model, dimension = excluded.dimension, at_brand = 0,
     at_lesson = excluded.at_lesson, is_done = false
   where (vector_walk.model, vector_walk.dimension) <> (excluded.model, excluded.dimension)`,
)
const bite = statement<Omit<Walk, 'is_done'> & { limit: number }, { count: number }>(
  (p) => sql`with bitten as materialized (
     select l.brand_id, l.id from lessons.lessons l
     where (l.brand_id, l.id) > (${p.at_brand}, ${p.at_lesson}::uuid)
     order by l.brand_id, l.id limit ${p.limit} for key share),
   queued as (
     insert into lessons.vector_queue (brand_id, lesson_id)
     select b.brand_id, b.id from bitten b where not exists (
       select from lessons.vectors v where v.brand_id = b.brand_id and v.lesson_id = b.id
         and v.model = ${p.model} and v.dimension = ${p.dimension})
     on conflict (brand_id, lesson_id) do nothing),
   moved as (
     update lessons.vector_walk w set at_brand = f.brand_id, at_lesson = f.id
     from (select brand_id, id from bitten order by brand_id desc, id desc limit 1) f)
   select count(*)::int as count from bitten`,
)
const endWalk = statement<object, unknown>(() => sql`update lessons.vector_walk set is_done = true`)

/** The next workspace after this one that has something due, and how often that has failed. */
export const findDue = (ctx: SystemCtx, after: number) => ctx.overBrands().db.first(next, { after })
/** For the caller alone until the lease ends. */
export const claimDue = (ctx: BrandCtx, wanted: Claim) => ctx.db.all(claim, wanted)
/** Of what was claimed before, each with the digest of the text that its vector is of. */
export const listBodies = (ctx: BrandCtx, ids: readonly string[], { model, dimension }: Model) =>
  ctx.db.all(bodies, { ids, model, dimension })
export const updateFailed = (ctx: BrandCtx, failed: Marked & { wait_seconds: number }) =>
  ctx.db.run(putBack, failed)
export const deleteQueued = (ctx: BrandCtx, these: Marked) => ctx.db.run(release, these)
export const lockLessons = (ctx: BrandTx, ids: readonly string[]) => ctx.db.run(hold, { ids })
/** Only of texts that have not changed since. */
export const insertVectors = (ctx: BrandTx, vectors: Vectors & Marked) => ctx.db.run(complete, vectors)
/** Of texts that the same transaction has written. */
export const insertVectorsOf = (ctx: BrandTx, vectors: Vectors) => ctx.db.run(put, vectors)
export const findWalk = (ctx: SystemCtx) => ctx.db.first(theWalk, {})
/** Begins, or begins again for another model. Until the commit, nobody else walks. */
export const insertWalk = (ctx: SystemTx, model: Model) => ctx.db.run(startWalk, model)
/** Queues those without a vector of this model among the next lessons. Returns how many it has looked at. */
export const insertMissing = async (ctx: SystemTx, at: Omit<Walk, 'is_done'>, limit: number) =>
  (await ctx.db.first(bite, { ...at, limit }))?.count ?? 0
export const updateWalkDone = (ctx: SystemTx) => ctx.db.run(endWalk, {})
