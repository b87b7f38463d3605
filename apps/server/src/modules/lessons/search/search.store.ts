import type { MatchKind } from '@crewhall/contracts/lessons/search.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'
import { type LessonRow, lessonColumns } from '../entries/lesson-rows.store.ts'

interface Filters {
  /** Null for all. */
  readonly project_id: string | null
  readonly type: string | null
  readonly area: string | null
  readonly is_stale: boolean | null
  readonly words: readonly string[]
  readonly limit: number
}
interface ByAnchor extends Filters {
  readonly path: string
  readonly symbol: string
  readonly is_folder: boolean
  /** The nearest first. */
  readonly folders: readonly string[]
}
export interface FoundRow extends LessonRow {
  readonly project_id: string
  readonly matched_by: MatchKind | null
  /** Also of those beyond the limit. */
  readonly total: number
}
type With<T> = Named<T & { brand_id: number }>

const wanted = (p: With<Filters>) => sql`l.brand_id = ${p.brand_id} and l.status = 'live'
   and (${p.project_id}::uuid is null or l.project_id = ${p.project_id})
   and (${p.type}::text is null or l.type = ${p.type})
   and (${p.area}::text is null or l.area = ${p.area} or starts_with(l.area, ${p.area} || '/'))
   and not exists (select from unnest(${p.words}::text[]) as w (word)
     where strpos(lower(l.slug || ' ' || l.type || ' ' || l.title || ' ' || l.body), w.word) = 0)`

const shown = (p: With<object>) => sql`select ${lessonColumns(p)}, l.project_id, b.total,
     (array['anchor', 'symbol', 'folder'])[b.rank + 1] as matched_by
   from best b join lessons.lessons l on l.brand_id = ${p.brand_id} and l.id = b.id
   order by b.is_pinned desc, b.rank, b.far, b.created_at desc, b.slug`

// By text alone: a place that the index has never seen, or no longer has, is found as well. Planned for these very values:
// a path has one lesson or ten thousand.
const byAnchor = brandStatement<ByAnchor, FoundRow>(
  (p) => sql`with matched as (
     select a.lesson_id, 0 as rank, 0::bigint as far from lessons.anchors a
     where a.brand_id = ${p.brand_id} and a.path = ${p.path} and a.symbol = ${p.symbol} and a.is_folder = ${p.is_folder}
     union all
     select a.lesson_id, 1, 0 from lessons.anchors a
     where a.brand_id = ${p.brand_id} and a.path = ${p.path} and a.symbol <> ${p.symbol} and not a.is_folder
       and not ${p.is_folder}::boolean and (${p.symbol} = '' or a.symbol = ''
         or starts_with(a.symbol, ${p.symbol} || '.') or starts_with(${p.symbol}, a.symbol || '.'))
     union all
     select a.lesson_id, 2, f.far from unnest(${p.folders}::text[]) with ordinality as f (path, far)
     join lessons.anchors a on a.brand_id = ${p.brand_id} and a.path = f.path and a.symbol = '' and a.is_folder),
   nearest as (select distinct on (lesson_id) lesson_id, rank, far from matched order by lesson_id, rank, far),
   best as (
     select l.id, l.is_pinned, l.created_at, l.slug, n.rank, n.far, count(*) over ()::int as total
     from nearest n join lessons.lessons l on l.brand_id = ${p.brand_id} and l.id = n.lesson_id
     where ${wanted(p)} and (${p.is_stale}::boolean is null or (l.stale_in is not null) = ${p.is_stale})
     order by l.is_pinned desc, n.rank, n.far, l.created_at desc, l.slug limit ${p.limit})
   ${shown(p)}`,
  { custom_plan: true },
)
const allStale = brandStatement<Omit<Filters, 'is_stale'> & { is_stale: null }, FoundRow>(
  (p) => sql`with best as (
     select l.id, l.is_pinned, l.created_at, l.slug, null::int as rank, null::bigint as far, count(*) over ()::int as total
     from lessons.lessons l where ${wanted(p)} and l.stale_in is not null
     order by l.is_pinned desc, l.created_at desc, l.slug limit ${p.limit})
   ${shown(p)}`,
  { custom_plan: true },
)

export const listByAnchor = (ctx: BrandCtx, asked: ByAnchor) => ctx.db.all(byAnchor, asked)
export const listStale = (ctx: BrandCtx, asked: Omit<Filters, 'is_stale'>) =>
  ctx.db.all(allStale, { ...asked, is_stale: null })
