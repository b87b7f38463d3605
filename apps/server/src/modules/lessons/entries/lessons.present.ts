import {
  type LessonEntry,
  type LessonHappening,
  mostMoves,
  type StaleAreas,
} from '@crewhall/contracts/lessons/entries.ts'
import { type Lesson, lessonPath, staleReason } from '@crewhall/contracts/lessons/lesson.ts'
import type { EntryRow, HappeningRow, StaleRow } from './entries.store.ts'
import type { LessonRow } from './lesson-rows.store.ts'

const head = (row: Omit<LessonRow, 'body' | 'anchors'>) => ({
  id: row.slug,
  path: lessonPath(row.slug),
  type: row.type,
  title: row.title,
  pinned: row.is_pinned,
  stale: row.stale_in !== null,
  stale_reason: staleReason(row.stale_in),
  author: row.author,
  card_ref: row.card_ref,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export const presentLesson = (row: LessonRow): Lesson => ({
  ...head(row),
  body: row.body,
  anchors: [...row.anchors],
})

export const presentEntry = (row: EntryRow): LessonEntry => ({
  ...head(row),
  area: row.area,
  status: row.status,
})

export const presentHappening = ({
  action,
  commit_id,
  created_at,
  detail,
}: HappeningRow): LessonHappening => ({
  action,
  commit: commit_id,
  at: created_at,
  moves: (detail.anchors ?? []).slice(0, mostMoves),
})

/** Rows come by area. */
export function presentStale(rows: readonly StaleRow[]): StaleAreas {
  const areas = new Map<string, StaleAreas['areas'][number]>()
  for (const { area, slug, type, stale_in, of_area } of rows) {
    const known = areas.get(area) ?? { area, total: of_area, lessons: [] }
    known.lessons.push({ id: slug, path: lessonPath(slug), type, stale_reason: staleReason(stale_in) })
    areas.set(area, known)
  }
  return { total: rows[0]?.total ?? 0, areas: [...areas.values()] }
}
