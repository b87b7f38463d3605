import type { LessonBrief } from '@crewhall/contracts/lessons/brief.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

interface Counted {
  readonly nid: number
  readonly count: number
  /** The first of them, pinned ones and then the newest. */
  readonly lesson_ids: readonly string[]
}
// Both from the index alone, the first few in its order. Lessons are read afterwards, each once: most of them are shown for
// a symbol, its file, and the folders around it.
const counted = (isExact: boolean) => {
  const only = isExact ? 'and u.dist = 0' : ''
  return brandStatement<{ nids: readonly number[]; limit: number }, Counted>(
    (p) => sql`select c.nid, c.count, array(
       select u.lesson_id from lessons.anchor_ups u where u.brand_id = ${p.brand_id} and u.nid = c.nid ${only}
       order by u.is_pinned desc, u.created_at desc, u.lesson_id limit ${p.limit}) as lesson_ids
     from (
       select u.nid, count(*)::int as count from lessons.anchor_ups u
       where u.brand_id = ${p.brand_id} and u.nid = any(${p.nids}::int[]) ${only} group by u.nid) c
     order by c.nid`,
  )
}
const statements = { subtree: counted(false), exact: counted(true) }
export type Match = keyof typeof statements

const briefs = brandStatement<{ ids: readonly string[] }, LessonBrief & { readonly lesson_id: string }>(
  (p) => sql`select l.id as lesson_id, l.slug as id, 'lessons/' || l.slug || '.md' as path, l.type, l.body,
     l.is_pinned as pinned, l.stale_in is not null as stale, 'code removed in ' || l.stale_in as stale_reason
   from lessons.lessons l where l.brand_id = ${p.brand_id} and l.id = any(${p.ids}::uuid[])`,
)

/** Nodes with lessons, how many each has, and the first few. */
export const listCounted = (ctx: BrandCtx, match: Match, nids: readonly number[], limit: number) =>
  ctx.db.all(statements[match], { nids, limit })
export const listBriefs = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(briefs, { ids })
