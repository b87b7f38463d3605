import { projectNotFound, unknownCursor } from '@crewhall/contracts/code-index/refusals.ts'
import {
  type LessonHappening,
  type LessonStatus,
  mostAreas,
  mostHappenings,
  mostStaleOfArea,
} from '@crewhall/contracts/lessons/entries.ts'
import { lessonNotFound } from '@crewhall/contracts/lessons/refusals.ts'
import { isProject } from '#modules/code-index'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import * as store from './entries.store.ts'
import { presentEntry, presentHappening, presentLesson, presentStale } from './lessons.present.ts'

interface ListQuery {
  readonly area?: string | undefined
  readonly type?: string | undefined
  readonly status: LessonStatus
  readonly stale?: boolean | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

export async function listLessonPage(
  ctx: BrandCtx,
  cursors: Cursors,
  project_id: string,
  { area, type, status, stale, limit, cursor }: ListQuery,
) {
  await needProject(ctx, project_id)
  const list = `lessons:${ctx.brandId}:${project_id}:${JSON.stringify({ area, type, status, stale })}`
  const after = cursor ? cursors.read(list, cursor) : ''
  if (after === undefined) throw unknownCursor()
  const [after_area = '', after_slug = ''] = after.split('\n')
  const of = { type: type ?? null, area: area ?? null, is_stale: stale ?? null }
  const at = { after_area, after_slug, limit: limit + 1 }
  const rows = await store.listEntries(ctx, { project_id, status, ...of, ...at })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    lessons: page.map(presentEntry),
    next_cursor: last && rows.length > limit ? cursors.issue(list, `${last.area}\n${last.slug}`) : null,
  }
}

export const getLesson = (ctx: BrandCtx, project_id: string, id: string) =>
  ctx.snapshot(async (ctx) => {
    await needProject(ctx, project_id)
    const row = await store.findLesson(ctx, project_id, id)
    if (!row) throw lessonNotFound()
    const happenings = await store.listHappenings(ctx, row.lesson_id, mostHappenings)
    const history: LessonHappening[] = happenings.map(presentHappening)
    return { ...presentLesson(row), area: row.area, status: row.status, history }
  })

export async function listStaleByArea(ctx: BrandCtx, project_id: string) {
  await needProject(ctx, project_id)
  return presentStale(await store.listStale(ctx, project_id, { areas: mostAreas, of_area: mostStaleOfArea }))
}

async function needProject(ctx: BrandCtx, project_id: string): Promise<void> {
  if (!(await isProject(ctx, project_id))) throw projectNotFound()
}
