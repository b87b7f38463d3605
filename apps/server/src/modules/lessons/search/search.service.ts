import { projectNotFound } from '@crewhall/contracts/code-index/refusals.ts'
import { readAnchor } from '@crewhall/contracts/lessons/anchors.ts'
import type { FoundLesson } from '@crewhall/contracts/lessons/search.ts'
import { isProject } from '#modules/code-index'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { presentLesson } from '../entries/lessons.present.ts'
import { areaOf, foldersAround, wordsOf } from './search.rules.ts'
import * as store from './search.store.ts'

export interface SearchQuery {
  readonly anchor?: string | undefined
  readonly project_id?: string | undefined
  readonly q?: string | undefined
  readonly type?: string | undefined
  readonly scope?: string | undefined
  readonly limit: number
  readonly stale?: boolean | undefined
}
export interface Found {
  readonly query: string | null
  readonly total: number
  readonly items: readonly FoundLesson[]
  readonly warnings: readonly string[]
}

const everyProject = 'No project_id was sent: lessons of all projects of the workspace were searched'

export async function searchLessons(ctx: BrandCtx, query: SearchQuery): Promise<Found> {
  const { anchor, project_id, q, type, scope, limit, stale } = query
  // LES-G10: missing and foreign alike.
  if (project_id !== undefined && !(await isProject(ctx, project_id))) throw projectNotFound()
  const of = {
    project_id: project_id ?? null,
    type: type ?? null,
    area: scope === undefined ? null : areaOf(scope),
    words: wordsOf(q),
    limit,
  }
  const place = anchor === undefined ? undefined : readAnchor(anchor)
  const rows =
    typeof place === 'object'
      ? await store.listByAnchor(ctx, {
          ...of,
          ...place,
          is_stale: stale ?? null,
          folders: foldersAround(place),
        })
      : await store.listStale(ctx, of)
  return {
    query: anchor ?? null,
    total: rows[0]?.total ?? 0,
    items: rows.map((row) => ({
      ...presentLesson(row),
      project_id: row.project_id,
      matched_by: row.matched_by,
    })),
    warnings: project_id === undefined ? [everyProject] : [],
  }
}
