import type { LessonBrief } from '@crewhall/contracts/lessons/brief.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

interface OfNodes {
  readonly nids: readonly number[]
}
type Counted = { readonly nid: number; readonly count: number }
export type ShownLesson = LessonBrief & { readonly nid: number }

const counts = (isExact: boolean) =>
  brandStatement<OfNodes, Counted>(
    (p) => sql`select u.nid, count(*)::int as count from lessons.anchor_ups u
     where u.brand_id = ${p.brand_id} and u.nid = any(${p.nids}::int[]) ${isExact ? 'and u.dist = 0' : ''} group by u.nid`,
  )
// The first five of each node from the index, in its order.
const first = (isExact: boolean) =>
  brandStatement<OfNodes & { limit: number }, ShownLesson>(
    (
      p,
    ) => sql`select n.nid, l.slug as id, 'lessons/' || l.slug || '.md' as path, l.type, l.body, l.is_pinned as pinned,
       l.stale_in is not null as stale, 'code removed in ' || l.stale_in as stale_reason
     from unnest(${p.nids}::int[]) with ordinality as n (nid, at)
     cross join lateral (
       select u.lesson_id, u.is_pinned, u.created_at from lessons.anchor_ups u
       where u.brand_id = ${p.brand_id} and u.nid = n.nid ${isExact ? 'and u.dist = 0' : ''}
       order by u.is_pinned desc, u.created_at desc, u.lesson_id limit ${p.limit}) u
     join lessons.lessons l on l.brand_id = ${p.brand_id} and l.id = u.lesson_id
     order by n.at, u.is_pinned desc, u.created_at desc, u.lesson_id`,
  )
const statements = {
  subtree: { counts: counts(false), first: first(false) },
  exact: { counts: counts(true), first: first(true) },
}
export type Match = keyof typeof statements

export const countLessons = (ctx: BrandCtx, match: Match, nids: readonly number[]) =>
  ctx.db.all(statements[match].counts, { nids })
/** The first few of each node. */
export const listShown = (ctx: BrandCtx, match: Match, nids: readonly number[], limit: number) =>
  ctx.db.all(statements[match].first, { nids, limit })
