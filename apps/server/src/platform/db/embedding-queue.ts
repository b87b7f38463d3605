import type { BrandCtx, BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface EmbeddingModel {
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
interface Claim {
  readonly attempts: number
  readonly limit: number
  readonly lease_seconds: number
}
export interface Marked {
  readonly ids: readonly string[]
  readonly marks: readonly string[]
}
interface Walk extends EmbeddingModel {
  readonly at_brand: number
  readonly at_row: string
  readonly is_done: boolean
}

/** Tables with their schemas. */
interface Tables {
  /** What is embedded, with the key `brand_id`, `id`. */
  readonly rows: string
  /** Of those whose vector is missing or of an older text, once each: key, `mark`, `attempts`, `due_at`. */
  readonly queue: string
  readonly vectors: string
  /** One row: how far the walk has come that finds rows without a vector of the model in use. */
  readonly walk: string
  /** Queue and vectors name a row by `<noun>_id`, the walk by `at_<noun>`. */
  readonly noun: string
}

export type EmbeddingQueue = ReturnType<typeof embeddingQueue>

/** The queue of a module whose texts are embedded in the background. A trigger of its table fills it. */
export function embeddingQueue({ rows, queue, vectors, walk, noun }: Tables) {
  const [key, at] = [`${noun}_id`, `at_${noun}`]
  // One entry of the index for each workspace and number of attempts, up to the first of which something is due. Nothing is
  // looked at while nothing is due, so what waits for a model that is away costs nothing.
  const next = statement<{ after: number }, Due>(
    (p) => sql`with recursive heads as (
     (select brand_id, attempts, due_at from ${queue}
      where brand_id > ${p.after} and exists (select from ${queue} where due_at <= platform.now())
      order by brand_id, attempts, due_at limit 1)
     union all
     select n.* from heads h cross join lateral (
       select brand_id, attempts, due_at from ${queue}
       where (brand_id, attempts) > (h.brand_id, h.attempts)
       order by brand_id, attempts, due_at limit 1) n
     where h.due_at > platform.now())
   select brand_id, attempts from heads where due_at <= platform.now()`,
  )
  const claim = brandStatement<Claim, Claimed>(
    (p) => sql`with due as materialized (
     select ${key} from ${queue}
     where brand_id = ${p.brand_id} and attempts = ${p.attempts} and due_at <= platform.now()
     order by due_at limit ${p.limit} for update skip locked),
   claimed as (
     update ${queue} q set attempts = q.attempts + 1,
       due_at = platform.now() + make_interval(secs => ${p.lease_seconds}::int)
     from due d where q.brand_id = ${p.brand_id} and q.${key} = d.${key} returning q.${key}, q.mark)
   select ${key} as id, mark from claimed`,
  )
  const putBack = brandStatement<Marked & { wait_seconds: number }, unknown>(
    (p) => sql`update ${queue} q set due_at = platform.now() + make_interval(secs => ${p.wait_seconds}::int)
   from unnest(${p.ids}::uuid[], ${p.marks}::uuid[]) as c (id, mark)
   where q.brand_id = ${p.brand_id} and q.${key} = c.id and q.mark = c.mark`,
  )
  const release = brandStatement<Marked, unknown>(
    (p) => sql`delete from ${queue} q using unnest(${p.ids}::uuid[], ${p.marks}::uuid[]) as c (id, mark)
   where q.brand_id = ${p.brand_id} and q.${key} = c.id and q.mark = c.mark`,
  )
  // In the order of those who change a row: first the row, then its place in the queue.
  const hold = brandStatement<{ ids: readonly string[] }, unknown>(
    (p) => sql`select from ${rows} where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[])
   order by id for key share`,
  )
  const theWalk = statement<object, Walk>(
    () => sql`select model, dimension, at_brand, ${at} as at_row, is_done from ${walk}`,
  )
  // Locks the row as well, whether or not it changes.
  const startWalk = statement<EmbeddingModel, unknown>(
    (p) => sql`insert into ${walk} as w (model, dimension) values (${p.model}, ${p.dimension})
   on conflict (is_only) do update set model = excluded.model, dimension = excluded.dimension, at_brand = 0,
     ${at} = excluded.${at}, seen = 0, is_done = false
   where (w.model, w.dimension) <> (excluded.model, excluded.dimension)`,
  )
  const bite = statement<Omit<Walk, 'is_done'> & { limit: number }, { count: number }>(
    (p) => sql`with bitten as materialized (
     select r.brand_id, r.id from ${rows} r
     where (r.brand_id, r.id) > (${p.at_brand}, ${p.at_row}::uuid)
     order by r.brand_id, r.id limit ${p.limit} for key share),
   queued as (
     insert into ${queue} (brand_id, ${key})
     select b.brand_id, b.id from bitten b where not exists (
       select from ${vectors} v where v.brand_id = b.brand_id and v.${key} = b.id
         and v.model = ${p.model} and v.dimension = ${p.dimension})
     on conflict (brand_id, ${key}) do nothing),
   farthest as (select brand_id, id from bitten order by brand_id desc, id desc limit 1),
   moved as (
     update ${walk} w set at_brand = f.brand_id, ${at} = f.id, seen = w.seen + (select count(*) from bitten)
     from farthest f)
   select count(*)::int as count from bitten`,
  )
  const endWalk = statement<object, unknown>(() => sql`update ${walk} set is_done = true`)

  return {
    /** The next workspace after this one that has something due, and how often that has failed. */
    findDue: (ctx: SystemCtx, after: number) => ctx.overBrands().db.first(next, { after }),
    /** For the caller alone until the lease ends. */
    claimDue: (ctx: BrandCtx, wanted: Claim) => ctx.db.all(claim, wanted),
    updateFailed: (ctx: BrandCtx, failed: Marked & { wait_seconds: number }) => ctx.db.run(putBack, failed),
    /** Of those whose vector is that of the text. */
    deleteQueued: (ctx: BrandCtx, these: Marked) => ctx.db.run(release, these),
    lockRows: (ctx: BrandTx, ids: readonly string[]) => ctx.db.run(hold, { ids }),
    findWalk: (ctx: SystemCtx) => ctx.db.first(theWalk, {}),
    /** Begins, or begins again for another model. Until the commit, nobody else walks. */
    insertWalk: (ctx: SystemTx, model: EmbeddingModel) => ctx.db.run(startWalk, model),
    /** Queues those without a vector of this model among the next rows. Returns how many it has looked at. */
    insertMissing: async (ctx: SystemTx, from: Omit<Walk, 'is_done'>, limit: number) =>
      (await ctx.db.first(bite, { ...from, limit }))?.count ?? 0,
    updateWalkDone: (ctx: SystemTx) => ctx.db.run(endWalk, {}),
  }
}
