import { setTimeout } from 'node:timers/promises'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { NodeChange } from '../nodes/changes.rules.ts'
import { findIndexState, type IndexState } from '../nodes/index-state.store.ts'
import { listChangesAfter } from '../nodes/node-changes.store.ts'
import { listNodesAfter } from '../nodes/nodes.store.ts'
import { type Place, placesOf } from './starts.rules.ts'
import {
  type DampedNode,
  edgeNumbers,
  mostNodes,
  type ReachedNode,
  Walk,
  type WalkNode,
  type WalkQuery,
} from './walk.rules.ts'
import * as store from './walk.store.ts'

export { pathTo, shownPath } from './walk.rules.ts'

/** Texts such as `src/a.ts#Store`, and ids of nodes; together at most 50. */
export interface Starts {
  readonly paths: readonly string[]
  readonly node_ids: readonly string[]
}

export interface Walked {
  readonly version: number
  readonly commit_id: string
  /** By their small ids, from the starts outward; at most 1,000. */
  readonly reached: ReadonlyMap<number, ReachedNode>
  readonly damped: readonly DampedNode[]
  /** Whether the cap of 1,000 nodes has left something out. */
  readonly is_truncated: boolean
  /** How many, of the level that it cut. */
  readonly left_out: number
}

const limitMs = 2000

/**
 * Walks from the starts outward, all of it in one index, however many are published meanwhile. Starts that are no live code
 * are skipped. Undefined when no index is ready. After two seconds it is an outage of the code index.
 */
export const walk = async (
  ctx: BrandCtx,
  project_id: string,
  starts: Starts,
  query: WalkQuery,
): Promise<Walked | undefined> =>
  (await walkFrom(ctx, project_id, starts, query, async () => undefined))?.walked

/** The same, with more about the nodes that were reached, read from the same index. */
export const walkFrom = <More>(
  ctx: BrandCtx,
  project_id: string,
  starts: Starts,
  query: WalkQuery,
  readMore: (ctx: BrandCtx, nids: readonly number[]) => Promise<More>,
): Promise<{ walked: Walked; more: More } | undefined> =>
  inTime((checkTime) =>
    ctx.snapshot(async (ctx) => {
      checkTime()
      const state = await store.openWalk(ctx, project_id, limitMs)
      if (!isVisible(state)) return undefined
      const walk = new Walk(await resolveStarts(ctx, project_id, starts), query)
      while (!walk.is_over) {
        checkTime()
        await goOn(ctx, walk)
      }
      const { reached, damped, left_out } = walk
      const { version, commit_id } = state
      const walked = { version, commit_id, reached, damped, is_truncated: left_out > 0, left_out }
      return { walked, more: await readMore(ctx, [...reached.keys()]) }
    }),
  )

async function goOn(ctx: BrandCtx, walk: Walk): Promise<void> {
  const { frontier, reached, query, room } = walk
  const { direction, kinds } = query
  const isWalkedUp = kinds.includes('contains') && direction !== 'out'
  const climbing = frontier.filter(({ parent_nid }) => isWalkedUp && parent_nid !== null)
  const found = await store.listLevel(ctx, {
    nids: frontier.map(({ nid }) => nid),
    parents: climbing.map(({ parent_nid }) => parent_nid ?? 0),
    children: climbing.map(({ nid }) => nid),
    reached: [...reached.keys()],
    kinds: edgeNumbers(kinds),
    goes_out: direction !== 'in',
    goes_in: direction !== 'out',
    goes_down: kinds.includes('contains') && direction !== 'in',
    // One is enough to know that something was left out.
    limit: Math.max(1, room),
  })
  const taken = found.slice(0, room)
  walk.left_out = Math.max(0, (found[0]?.count ?? 0) - taken.length)
  const nodes =
    taken.length === 0
      ? []
      : await store.listNodes(
          ctx,
          taken.map(({ nid }) => nid),
        )
  walk.take(taken, new Map(nodes.map((node) => [node.nid, node])))
}

/** Live nodes, each once, in the order of their small ids. What is not there is left out. */
export async function resolveStarts(
  ctx: BrandCtx,
  project_id: string,
  { paths, node_ids }: Starts,
): Promise<WalkNode[]> {
  const places = paths.flatMap(placesOf)
  const rows = await store.listStarts(ctx, project_id, places, node_ids)
  const nodes = [...bestOf(rows).values(), ...rows.filter(({ at }) => at < 0).map(({ node }) => node)]
  const once = new Map(nodes.map((node) => [node.nid, node]))
  return [...once.values()].sort((a, b) => a.nid - b.nid).slice(0, mostNodes)
}

/**
 * What each text names; undefined where it names nothing. With `is_former`, a place that was left is followed to where its
 * node is now, as an anchor that was written before a rename needs it.
 */
export async function resolvePaths(
  ctx: BrandCtx,
  project_id: string,
  paths: readonly string[],
  { is_former = false }: { is_former?: boolean } = {},
): Promise<(WalkNode | undefined)[]> {
  const places = paths.flatMap(placesOf)
  const found = bestOf(await store.listStarts(ctx, project_id, places, []))
  const open = places.filter(({ at }) => !found.has(at))
  if (is_former && open.length > 0)
    for (const [at, node] of bestOf(wherever(open, await store.listFormer(ctx, project_id, open))))
      found.set(at, node)
  return paths.map((_, at) => found.get(at))
}

const wherever = (places: readonly Place[], rows: readonly store.StartRow[]): store.StartRow[] => {
  const folders = new Set(places.filter(({ is_folder }) => is_folder).map(({ at }) => at))
  return rows.filter(({ at, node }) => node.kind === 'folder' || !folders.has(at))
}

function bestOf(rows: readonly store.StartRow[]): Map<number, WalkNode> {
  const best = new Map<number, store.StartRow>()
  for (const row of rows) {
    const known = best.get(row.at)
    if (row.at >= 0 && (!known || row.rank < known.rank)) best.set(row.at, row)
  }
  return new Map([...best].map(([at, { node }]) => [at, node]))
}

/** Whether there is an index that readers see. */
export const isReady = async (ctx: BrandCtx, project_id: string): Promise<boolean> =>
  isVisible(await findIndexState(ctx, project_id))

type Visible = Pick<IndexState, 'version' | 'commit_id'>
const isVisible = (state: Visible | undefined): state is Visible & { readonly commit_id: string } =>
  state !== undefined && state.version > 0 && state.commit_id !== null

/** Where a reader of changes stands. */
export interface ChangePosition {
  readonly version: number
  readonly nid: number
}

/** Nodes that were moved, removed or revived after a position, in order; at most `limit`. */
export const changesSince = (
  ctx: BrandCtx,
  project_id: string,
  { version, nid }: ChangePosition,
  limit: number,
): Promise<NodeChange[]> => listChangesAfter(ctx, { project_id, version, nid, until: 2_147_483_647, limit })

interface NodePlace {
  readonly nid: number
  readonly path: string
  readonly symbol: string
}
/** Nodes after one of them, gone or not, in order; at most `limit`. Those of a later index come after all of an earlier one. */
export const nodesAfter = async (
  ctx: BrandCtx,
  project_id: string,
  after: number,
  limit: number,
): Promise<NodePlace[]> =>
  (await listNodesAfter(ctx, project_id, after, limit)).map(({ nid, path, symbol }) => ({
    nid,
    path,
    symbol,
  }))

/** What comes too late finds nobody, so it goes on no further than its statement, which the server ends. */
async function inTime<T>(work: (checkTime: () => void) => Promise<T>): Promise<T> {
  const due = performance.now() + limitMs
  const checkTime = () => {
    if (performance.now() >= due) throw new Outage('code_index', 'timeout')
  }
  const over = new AbortController()
  const late = setTimeout(limitMs, undefined, { signal: over.signal, ref: false }).then(() => {
    throw new Outage('code_index', 'timeout')
  })
  const working = work(checkTime)
  for (const either of [working, late]) either.catch(() => {})
  try {
    return await Promise.race([working, late])
  } finally {
    over.abort()
  }
}
