import { projectNotFound } from '@crewhall/contracts/code-index/refusals.ts'
import type { LessonBrief } from '@crewhall/contracts/lessons/brief.ts'
import { mostShown } from '@crewhall/contracts/lessons/lookup.ts'
import { isAttached, resolveStarts } from '#modules/code-index'
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
    const nodes = await resolveStarts(ctx, project_id, { paths: [], node_ids })
    const nids = nodes.map(({ nid }) => nid)
    const [counted, shown] = await Promise.all([
      store.countLessons(ctx, match, nids),
      store.listShown(ctx, match, nids, mostShown),
    ])
    const idOf = new Map(nodes.map(({ nid, node_id }) => [nid, node_id]))
    const entries = new Map<string, LessonBrief[]>()
    for (const { nid, ...lesson } of shown) {
      const id = idOf.get(nid) ?? ''
      const known = entries.get(id)
      if (known) known.push(lesson)
      else entries.set(id, [lesson])
    }
    return {
      counts: Object.fromEntries(counted.map(({ nid, count }) => [idOf.get(nid) ?? '', count])),
      entries,
    }
  })
