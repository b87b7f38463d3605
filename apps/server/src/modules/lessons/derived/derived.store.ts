import { type DerivedTable, derivedTable } from '#platform/db/derived.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { staleIn } from '../staleness/staleness.store.ts'

const rows = 500
const state = derivedTable({
  table: 'lessons.lessons',
  rows,
  truths: {
    stale_in: `(select ${staleIn} from lessons.anchors a where a.brand_id = t.brand_id and a.lesson_id = t.id)`,
    status: `(case when t.status = 'removed' then 'removed' when t.is_retired then 'retired'
         when exists (select from lessons.lessons o where o.brand_id = t.brand_id and o.project_id = t.project_id
           and o.status <> 'removed' and o.supersedes <> '{}' and t.slug = any(o.supersedes)) then 'superseded'
         else 'live' end)`,
  },
})

/** The rows of each lesson as one value, since one that is missing has no row to be wrong in. */
const closure: DerivedTable = {
  table: 'lessons.anchor_ups',
  columns: ['closure'],
  rows,
  page: state.page,
  compare: statement(
    (p) => sql`select t.brand_id, t.id, 'lessons.anchor_ups.closure' as column, f.found, u.truth
       from lessons.lessons t
       cross join lateral (
         select coalesce(jsonb_agg(jsonb_build_array(u.nid, u.dist, u.is_pinned, u.created_at) order by u.nid), '[]') as found
         from lessons.anchor_ups u where u.brand_id = t.brand_id and u.lesson_id = t.id) f
       cross join lateral (
         select coalesce(jsonb_agg(jsonb_build_array(u.nid, u.dist, t.is_pinned, t.created_at) order by u.nid), '[]') as truth
         from lessons.true_ups(t.brand_id, t.id) u) u
       where (t.brand_id, t.id) > (${p.brand_id}, ${p.id}) and (t.brand_id, t.id) <= (${p.last_brand_id}, ${p.last_id})
         and f.found <> u.truth
       order by t.brand_id, t.id`,
  ),
}

/** What `npm run verify-data` compares with the truth. */
export const derivedOfLessons = [state, closure]
