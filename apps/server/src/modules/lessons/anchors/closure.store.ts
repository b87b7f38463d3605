import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

const standing = brandStatement<{ ids: readonly string[] }, { lesson_id: string; nid: number }>(
  (p) => sql`select a.lesson_id, a.nid from lessons.anchors a
   join lessons.lessons l on l.brand_id = a.brand_id and l.id = a.lesson_id and l.status = 'live'
   where a.brand_id = ${p.brand_id} and a.lesson_id = any(${p.ids}::uuid[]) and a.nid is not null and a.removed_in is null`,
)

interface Ups {
  /** All lessons that are looked at, also those that stand on nothing. */
  readonly ids: readonly string[]
  readonly lessons: readonly string[]
  readonly nids: readonly number[]
  readonly dists: readonly number[]
}
// Only what is different is written: most of the tree above most lessons never changes.
const replace = brandStatement<Ups, unknown>(
  (p) => sql`with truth as materialized (
     select t.lesson_id, t.nid, min(t.dist)::smallint as dist, l.is_pinned, l.created_at
     from unnest(${p.lessons}::uuid[], ${p.nids}::int[], ${p.dists}::int[]) as t (lesson_id, nid, dist)
     join lessons.lessons l on l.brand_id = ${p.brand_id} and l.id = t.lesson_id
     group by t.lesson_id, t.nid, l.is_pinned, l.created_at),
   gone as (
     delete from lessons.anchor_ups u where u.brand_id = ${p.brand_id} and u.lesson_id = any(${p.ids}::uuid[])
       and not exists (select from truth t where t.lesson_id = u.lesson_id and t.nid = u.nid))
   insert into lessons.anchor_ups (brand_id, lesson_id, nid, dist, is_pinned, created_at)
   select ${p.brand_id}::int, t.lesson_id, t.nid, t.dist, t.is_pinned, t.created_at from truth t
   where not exists (
     select from lessons.anchor_ups u where u.brand_id = ${p.brand_id} and u.lesson_id = t.lesson_id and u.nid = t.nid
       and u.dist = t.dist and u.is_pinned = t.is_pinned and u.created_at = t.created_at)
   on conflict (brand_id, lesson_id, nid) do update set dist = excluded.dist, is_pinned = excluded.is_pinned,
     created_at = excluded.created_at`,
)

const under = brandStatement<{ nids: readonly number[] }, { lesson_id: string }>(
  (p) => sql`select distinct lesson_id from lessons.anchor_ups
   where brand_id = ${p.brand_id} and nid = any(${p.nids}::int[])`,
)

/** Live lessons on these nodes or anywhere below them, as the closure has it. */
export const listUnder = async (ctx: BrandCtx, nids: readonly number[]) =>
  (await ctx.db.all(under, { nids })).map(({ lesson_id }) => lesson_id)
/** The nodes that live lessons stand on. */
export const listStanding = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(standing, { ids })
export const replaceUps = (ctx: BrandTx, ups: Ups) => ctx.db.run(replace, ups)
