import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface Happening {
  readonly lesson_id: string
  readonly action: 'created' | 'changed' | 'removed' | 'moved' | 'stale' | 'revived'
  readonly commit_id: string | null
  readonly detail?: object
}
interface Columns {
  readonly lessons: readonly string[]
  readonly actions: readonly string[]
  readonly commits: readonly (string | null)[]
  readonly details: readonly string[]
}
const insert = brandStatement<Columns, unknown>(
  (p) => sql`insert into lessons.history (brand_id, lesson_id, n, action, commit_id, detail)
   select ${p.brand_id}::int, h.lesson_id,
     coalesce((select max(o.n) from lessons.history o where o.brand_id = ${p.brand_id} and o.lesson_id = h.lesson_id), 0)
       + row_number() over (partition by h.lesson_id order by h.at), h.action, h.commit_id, h.detail::jsonb
   from unnest(${p.lessons}::uuid[], ${p.actions}::text[], ${p.commits}::text[], ${p.details}::text[])
     with ordinality as h (lesson_id, action, commit_id, detail, at)`,
)
const trim = brandStatement<{ lessons: readonly string[]; kept: number }, unknown>(
  (p) => sql`delete from lessons.history h using (
     select o.lesson_id, max(o.n) as last from lessons.history o
     where o.brand_id = ${p.brand_id} and o.lesson_id = any(${p.lessons}::uuid[]) group by o.lesson_id) l
   where h.brand_id = ${p.brand_id} and h.lesson_id = l.lesson_id and h.n <= l.last - ${p.kept}::int`,
)

const kept = 100
const page = 1000

/** The latest are kept, a bounded number of each lesson. */
export async function insertHappenings(ctx: BrandTx, happenings: readonly Happening[]): Promise<void> {
  for (let at = 0; at < happenings.length; at += page) {
    const these = happenings.slice(at, at + page)
    const lessons = these.map(({ lesson_id }) => lesson_id)
    await ctx.db.run(insert, {
      lessons,
      actions: these.map(({ action }) => action),
      commits: these.map(({ commit_id }) => commit_id),
      details: these.map(({ detail = {} }) => JSON.stringify(detail)),
    })
    await ctx.db.run(trim, { lessons, kept })
  }
}
