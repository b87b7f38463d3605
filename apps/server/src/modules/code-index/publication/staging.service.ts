import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Sweep } from '#platform/jobs/sweep.ts'
import { reserveNodeIds } from '../nodes/index-state.store.ts'
import type { EdgeColumns } from './edges.rules.ts'
import type { Plan, PlannedNode } from './plan.rules.ts'
import * as store from './staging.store.ts'

type Range = readonly [number, number]

/** Where the staged rows of each kind lie, from one position to the one before another. */
export interface Staged {
  readonly removed: Range
  readonly moved: Range
  readonly changed: Range
  readonly created: Range
  readonly unlinked: Range
  readonly linked: Range
}

const batch = 5000

/** Writes what is going to change beside the index, in small transactions. Undefined when a later run has begun. */
export async function stage(
  ctx: BrandCtx,
  run: store.StagedRun,
  plan: Plan,
  signal?: AbortSignal,
): Promise<Staged | undefined> {
  for (const { run_id } of await store.listStagedRuns(ctx, run.project_id)) await clearStaged(ctx, run_id)
  const { run_id, project_id, epoch } = run
  if ((await store.insertStagedRun(ctx, { run_id, project_id, epoch })) === 0) return undefined
  await ctx.faultPoint('code-index.opened')
  const base = await reserveNodeIds(ctx, plan.created.length)
  const numbered = (nid: number) => (nid < 0 ? base - nid : nid)
  const { removed, moved, changed, created, edges } = plan
  const nodes = [...removed, ...moved, ...changed, ...created].map(
    (node): PlannedNode => ({
      ...node,
      nid: numbered(node.nid),
      parent_nid: node.parent_nid === null ? null : numbered(node.parent_nid),
    }),
  )
  for (let first = 0; first < nodes.length; first += batch) {
    signal?.throwIfAborted()
    await store.insertStagedNodes(ctx, run_id, first, nodes.slice(first, first + batch))
    await ctx.faultPoint('code-index.staging')
  }
  await stageEdges(ctx, run_id, 0, edges.removed, numbered, signal)
  await stageEdges(ctx, run_id, edges.removed.src.length, edges.added, numbered, signal)
  const [a, b, c, d] = ends(removed.length, moved.length, changed.length, created.length)
  const [e, f] = ends(edges.removed.src.length, edges.added.src.length)
  return {
    removed: [0, a],
    moved: [a, b],
    changed: [b, c],
    created: [c, d],
    unlinked: [0, e],
    linked: [e, f],
  }
}

async function stageEdges(
  ctx: BrandCtx,
  run_id: string,
  offset: number,
  edges: EdgeColumns,
  numbered: (nid: number) => number,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let first = 0; first < edges.src.length; first += batch) {
    signal?.throwIfAborted()
    const until = first + batch
    await store.insertStagedEdges(ctx, run_id, offset + first, {
      src: Array.from(edges.src.subarray(first, until), numbered),
      kind: Array.from(edges.kind.subarray(first, until)),
      dst: Array.from(edges.dst.subarray(first, until), numbered),
    })
    await ctx.faultPoint('code-index.staging')
  }
}

function ends(...lengths: readonly number[]): [number, number, number, number] {
  let end = 0
  const found = lengths.map((length) => {
    end += length
    return end
  })
  const [a = 0, b = 0, c = 0, d = 0] = found
  return [a, b, c, d]
}

/** Deletes what a run has staged, also one that was killed. */
export async function clearStaged(ctx: BrandCtx, run_id: string): Promise<void> {
  while ((await store.deleteStaged(ctx, run_id, batch)) === batch) await ctx.faultPoint('code-index.clearing')
}

/** Longer than any run may take. The next run of the project clears as well; this is for projects without one. */
const hours = 24
export const stagingSweep: Sweep = {
  table: 'code_index.staged_runs',
  async bite(ctx: SystemCtx, limit) {
    const run = await store.findOldStagedRun(ctx, hours)
    if (!run) return 0
    await store.deleteStaged(ctx.forBrand(run.brand_id), run.run_id, limit)
    // There may be more of this run, or another one behind it.
    return limit
  },
}
