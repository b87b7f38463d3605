import { type Named, sql } from '#platform/db/statement.ts'

/** A lesson as it is stored, with the places of its anchors. */
export interface LessonRow {
  readonly slug: string
  readonly type: string
  readonly title: string
  readonly body: string
  readonly is_pinned: boolean
  readonly stale_in: string | null
  readonly author: string | null
  readonly card_ref: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly anchors: readonly string[]
}

/** Of `lessons.lessons l`. */
export const lessonColumns = (
  p: Named<{ brand_id: number }>,
) => sql`l.slug, l.type, l.title, l.body, l.is_pinned, l.stale_in,
     l.author, l.card_ref, l.created_at, l.updated_at, array(
       select case when a.is_folder then a.path || '/' when a.symbol = '' then a.path else a.path || '#' || a.symbol end
       from lessons.anchors a where a.brand_id = ${p.brand_id} and a.lesson_id = l.id order by a.position) as anchors`
