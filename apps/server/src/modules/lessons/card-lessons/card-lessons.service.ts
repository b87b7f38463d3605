import { mostStarts, type NearOutage, NearQuery } from '@crewhall/contracts/lessons/near.ts'
import type { CardLessons, FoundLessons } from '#modules/boards'
import { codeNamedIn, isAttached, isReady } from '#modules/code-index'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { Outage } from '#platform/outage/outage.ts'
import { findNear, type NearHandles } from '../near/near.service.ts'

/** For the context of a card: the code that its texts name is where the walk starts, with the settings of `near`. */
export const createCardLessons = (handles: NearHandles): CardLessons => ({
  async lessonsNear(ctx, { project_id, texts, limit }) {
    if (!(await isAttached(ctx, project_id))) return none('no_ready_index')
    const starts = await startsIn(ctx, handles, project_id, texts)
    if (!Array.isArray(starts)) return none(starts)
    if (starts.length === 0) return none(null)
    const query = NearQuery.parse({ project_id, node_ids: starts, limit })
    const { entries, degraded } = await findNear(ctx, handles, query)
    const lessons = entries.map(({ id, type, pinned, stale, hops, body }) => ({
      id,
      type,
      pinned,
      stale,
      hops,
      body,
    }))
    return { lessons, degraded }
  },
})

const none = (degraded: NearOutage | null): FoundLessons => ({ lessons: [], degraded })

/** Ids of nodes, or why none can be told. */
async function startsIn(
  ctx: OutsideBrandCtx,
  { code_index }: NearHandles,
  project_id: string,
  texts: readonly string[],
): Promise<string[] | NearOutage> {
  try {
    return await code_index(ctx, async (ctx) => {
      if (!(await isReady(ctx, project_id))) return 'no_ready_index' as const
      const code = await codeNamedIn(ctx, texts, project_id)
      return [...new Set(code.map(({ node_id }) => node_id))].slice(0, mostStarts)
    })
  } catch (error) {
    if (error instanceof Outage && error.part === 'code_index') return 'code_index_unavailable'
    throw error
  }
}
