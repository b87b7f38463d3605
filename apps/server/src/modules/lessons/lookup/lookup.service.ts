import { projectNotFound } from '@crewhall/contracts/code-index/refusals.ts'
import type { LessonBrief } from '@crewhall/contracts/lessons/brief.ts'
import { mostShown } from '@crewhall/contracts/lessons/lookup.ts'
import { isAttached, listLive } from '#modules/code-index'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import * as store from './lookup.store.ts'

export interface Lookup {
  readonly project_id: string
  readonly node_ids: readonly string[]
  readonly match: store.Match
}
export interface LookedUp {
  readonly counts: Readonly<Record<string, number>>
  readonly entries: ReadonlyMap<string, readonly LessonBrief[]>
}

/** Nodes and lessons of one moment, so that they belong to the same index. */
export const lookUpAnchors = (ctx: BrandCtx, { project_id, node_ids, match }: Lookup): Promise<LookedUp> =>
  ctx.snapshot(async (ctx) => {
    if (!(await isAttached(ctx, project_id))) throw projectNotFound()
    const idOf = new Map(
      (await listLive(ctx, project_id, node_ids)).map(({ nid, node_id }) => [nid, node_id]),
    )
    const counted = await store.listCounted(ctx, match, [...idOf.keys()], mostShown)
    const shown = new Set(counted.flatMap(({ lesson_ids }) => lesson_ids))
    const briefs = new Map<string, LessonBrief>()
    for (const { lesson_id, ...brief } of await store.listBriefs(ctx, [...shown]))
      briefs.set(lesson_id, brief)
    const counts: Record<string, number> = {}
    const entries = new Map<string, LessonBrief[]>()
    for (const { nid, count, lesson_ids } of counted) {
      const id = idOf.get(nid) ?? ''
      counts[id] = count
      entries.set(
        id,
        lesson_ids.flatMap((lesson) => briefs.get(lesson) ?? []),
      )
    }
    return { counts, entries }
  })
