import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

// Anchors on files and symbols decide where there are any, else those on folders: none is live, and one was removed. Of
// several that were removed, the one whose commit came last is the reason: until then one was there.
const live = (kind: string) => `bool_or(a.nid is not null and a.removed_in is null and ${kind})`
const last = (kind: string) =>
  `(array_agg(a.removed_in order by a.removed_version desc, a.removed_step desc, a.position desc) filter (where a.removed_in is not null and ${kind}))[1]`
export const staleIn = `case
     when bool_or(not a.is_folder) then case when not ${live('not a.is_folder')} then ${last('not a.is_folder')} end
     when not ${live('a.is_folder')} then ${last('a.is_folder')} end`

export interface Turned {
  readonly id: string
  /** Null for one whose code is there again. */
  readonly stale_in: string | null
  readonly was_stale_in: string | null
}
const settle = brandStatement<{ ids: readonly string[] }, Turned>(
  (p) => sql`with standing as materialized (
     select a.lesson_id, ${staleIn} as stale_in from lessons.anchors a
     where a.brand_id = ${p.brand_id} and a.lesson_id = any(${p.ids}::uuid[]) group by a.lesson_id),
   turned as materialized (
     select l.id, s.stale_in, l.stale_in as was_stale_in from lessons.lessons l
     left join standing s on s.lesson_id = l.id
     where l.brand_id = ${p.brand_id} and l.id = any(${p.ids}::uuid[]) and l.stale_in is distinct from s.stale_in),
   written as (
     update lessons.lessons l set stale_in = t.stale_in from turned t
     where l.brand_id = ${p.brand_id} and l.id = t.id)
   select id, stale_in, was_stale_in from turned order by id`,
)

/** Of lessons whose anchors may have changed; returns those that have become stale, or are it no more. */
export const updateStale = (ctx: BrandTx, ids: readonly string[]) => ctx.db.all(settle, { ids })
