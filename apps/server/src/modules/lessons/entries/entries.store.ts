import type { LessonHappening, LessonStatus } from '@crewhall/contracts/lessons/entries.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { type LessonRow, lessonColumns } from './lesson-rows.store.ts'

export type EntryRow = Omit<LessonRow, 'body' | 'anchors'> & {
  readonly area: string
  readonly status: LessonStatus
}
interface Page {
  readonly project_id: string
  readonly status: LessonStatus
  /** Null for all. */
  readonly type: string | null
  readonly area: string | null
  readonly is_stale: boolean | null
  /** Where the last page ended. */
  readonly after_area: string
  readonly after_slug: string
  readonly limit: number
}
const columns = `l.slug, l.area, l.status, l.type, l.title, l.is_pinned, l.stale_in, l.author, l.card_ref, l.created_at,
     l.updated_at`
const page = (isLive: boolean) =>
  brandStatement<Page, EntryRow>(
    (p) => sql`select ${columns} from lessons.lessons l
     where l.brand_id = ${p.brand_id} and l.project_id = ${p.project_id}
       and ${isLive ? sql`l.status = 'live' and ${p.status}::text is not null` : sql`l.status = ${p.status}`}
       and (l.area, l.slug) > (${p.after_area}, ${p.after_slug}) and (${p.area}::text is null or l.area = ${p.area})
       and (${p.type}::text is null or l.type = ${p.type})
       and (${p.is_stale}::boolean is null or (l.stale_in is not null) = ${p.is_stale})
     order by l.area, l.slug limit ${p.limit}`,
    { custom_plan: true },
  )
const [livePage, otherPage] = [page(true), page(false)]

type OneRow = LessonRow & { readonly lesson_id: string; readonly area: string; readonly status: LessonStatus }
const one = brandStatement<{ project_id: string; slug: string }, OneRow>(
  (p) => sql`select l.id as lesson_id, l.area, l.status, ${lessonColumns(p)} from lessons.lessons l
   where l.brand_id = ${p.brand_id} and l.project_id = ${p.project_id} and l.slug = ${p.slug}`,
)

export interface HappeningRow {
  readonly action: LessonHappening['action']
  readonly commit_id: string | null
  readonly created_at: string
  readonly detail: { readonly anchors?: readonly { readonly from: string; readonly to: string }[] }
}
const history = brandStatement<{ lesson_id: string; limit: number }, HappeningRow>(
  (p) => sql`select action, commit_id, created_at, detail from lessons.history
   where brand_id = ${p.brand_id} and lesson_id = ${p.lesson_id} order by n desc limit ${p.limit}`,
)

export type StaleRow = Pick<LessonRow, 'slug' | 'type' | 'stale_in'> & {
  readonly area: string
  readonly of_area: number
  readonly total: number
}
// Only stale lessons are read, from their own index.
const stale = brandStatement<{ project_id: string; areas: number; of_area: number }, StaleRow>(
  (p) => sql`select area, slug, type, stale_in, of_area, total from (
     select area, slug, type, stale_in, count(*) over (partition by area)::int as of_area, count(*) over ()::int as total,
       dense_rank() over (order by area) as area_at, row_number() over (partition by area order by slug) as at
     from lessons.lessons
     where brand_id = ${p.brand_id} and project_id = ${p.project_id} and status = 'live' and stale_in is not null) s
   where area_at <= ${p.areas} and at <= ${p.of_area} order by area, slug`,
)

export const listEntries = (ctx: BrandCtx, asked: Page) =>
  ctx.db.all(asked.status === 'live' ? livePage : otherPage, asked)
export const findLesson = (ctx: BrandCtx, project_id: string, slug: string) =>
  ctx.db.first(one, { project_id, slug })
export const listHappenings = (ctx: BrandCtx, lesson_id: string, limit: number) =>
  ctx.db.all(history, { lesson_id, limit })
export const listStale = (
  ctx: BrandCtx,
  project_id: string,
  most: { readonly areas: number; readonly of_area: number },
) => ctx.db.all(stale, { project_id, ...most })
