import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { FoundLesson } from './near.rules.ts'

const state = brandStatement<{ project_id: string }, { index_version: number }>(
  (p) => sql`select index_version from lessons.states
   where brand_id = ${p.brand_id} and project_id = ${p.project_id}`,
)

interface Asked {
  /** Nodes from the starts outward. */
  readonly nids: readonly number[]
  readonly hops: readonly number[]
  readonly limit: number
}
// LES-43, LES-44: all that is under a start, and of other nodes what is on them, which is read from the anchors: the closure
// of a folder is as long as what is under it. Bodies are read for what is returned only.
const near = brandStatement<Asked, FoundLesson>(
  (p) => sql`with reached as materialized (
     select nid, hops, at from unnest(${p.nids}::int[], ${p.hops}::int[]) with ordinality as r (nid, hops, at)),
   found as (
     select distinct on (lesson_id) lesson_id, hops, nid from (
       select u.lesson_id, r.hops, u.dist, r.at, r.nid from reached r
       join lessons.anchor_ups u on u.brand_id = ${p.brand_id} and u.nid = r.nid
       where r.hops = 0
       union all
       select a.lesson_id, r.hops, 0, r.at, r.nid from reached r
       join lessons.anchors a on a.brand_id = ${p.brand_id} and a.nid = r.nid
       where r.hops > 0) c
     order by lesson_id, hops, dist, at),
   best as (
     select l.id, l.is_pinned, f.hops, f.nid, l.slug from found f
     join lessons.lessons l on l.brand_id = ${p.brand_id} and l.id = f.lesson_id and l.status = 'live'
     order by l.is_pinned desc, f.hops, l.slug limit ${p.limit})
   select l.slug as id, 'lessons/' || l.slug || '.md' as path, l.type, l.body, l.is_pinned as pinned,
     l.stale_in is not null as stale, 'code removed in ' || l.stale_in as stale_reason, b.hops, b.nid
   from best b join lessons.lessons l on l.brand_id = ${p.brand_id} and l.id = b.id
   order by b.is_pinned desc, b.hops, b.slug`,
)

/** Of the visible index that the anchors correspond to; undefined while the project has no lessons. */
export const findIndexVersion = async (ctx: BrandCtx, project_id: string): Promise<number | undefined> =>
  (await ctx.db.first(state, { project_id }))?.index_version
export const listNear = (ctx: BrandCtx, asked: Asked) => ctx.db.all(near, asked)
