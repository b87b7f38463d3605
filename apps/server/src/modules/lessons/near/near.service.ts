import { projectNotFound } from '@crewhall/contracts/code-index/refusals.ts'
import type { NearLessons, NearQuery } from '@crewhall/contracts/lessons/near.ts'
import { isAttached, pathTo, shownPath, type Walked, walk } from '#modules/code-index'
import type { BrandCtx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { ReadOn } from '#platform/ctx/read-on.ts'
import { Outage } from '#platform/outage/outage.ts'
import { degradedNear, type FoundLesson, nearLessons } from './near.rules.ts'
import { findIndexVersion, listNear } from './near.store.ts'

/** Lessons are on the one, code is on the other; whichever is away is named. */
export interface NearHandles {
  readonly memory: ReadOn
  readonly code_index: ReadOn
}

/** How often an index may become visible between the walk and the lessons. */
const mostTries = 5

export async function findNear(
  ctx: OutsideBrandCtx,
  handles: NearHandles,
  query: NearQuery,
): Promise<NearLessons> {
  if (!(await isAttached(ctx, query.project_id))) throw projectNotFound()
  for (let tries = 0; tries < mostTries; tries += 1) {
    const walked = await unless('code_index', () => walkOf(ctx, handles, query))
    if (walked === away) return degradedNear('code_index_unavailable')
    if (!walked) return degradedNear('no_ready_index')
    const found = await unless('memory', () => handles.memory(ctx, (ctx) => lessonsOf(ctx, query, walked)))
    if (found === away) return degradedNear('memory_unavailable', walked.reached.size)
    if (found) return present(walked, found, query.limit)
  }
  return degradedNear('code_index_unavailable')
}

const walkOf = (ctx: OutsideBrandCtx, { code_index }: NearHandles, query: NearQuery) => {
  const { project_id, paths, node_ids, kinds, depth, direction, hub_cap } = query
  const asked = { depth, direction, hub_cap, kinds: [...new Set(kinds)] }
  return code_index(ctx, (ctx) => walk(ctx, project_id, { paths, node_ids }, asked))
}

/** Undefined if another index has become visible since the walk: its nodes and these lessons do not belong together. */
const lessonsOf = (
  ctx: BrandCtx,
  { project_id, limit }: NearQuery,
  { reached, version }: Walked,
): Promise<readonly FoundLesson[] | undefined> =>
  ctx.snapshot(async (ctx) => {
    const nodes = [...reached.values()]
    const nids = nodes.map(({ nid }) => nid)
    const hops = nodes.map((node) => node.hops)
    const [corresponds_to, found] = await Promise.all([
      findIndexVersion(ctx, project_id),
      listNear(ctx, { nids, hops, limit: limit + 1 }),
    ])
    return corresponds_to === undefined || corresponds_to === version ? found : undefined
  })

function present({ reached, damped, is_truncated }: Walked, found: readonly FoundLesson[], limit: number) {
  const walked = { reached_nodes: reached.size, damped: [...damped], is_truncated }
  return nearLessons(walked, found, limit, (nid) => ({
    via_node_id: reached.get(nid)?.node_id ?? '',
    path_to: pathTo(reached, nid).map((node) => ({
      node_id: node.node_id,
      path: shownPath(node),
      edge: node.edge,
    })),
  }))
}

const away = Symbol('away')

async function unless<T>(part: 'memory' | 'code_index', read: () => Promise<T>): Promise<T | typeof away> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Outage && error.part === part) return away
    throw error
  }
}
