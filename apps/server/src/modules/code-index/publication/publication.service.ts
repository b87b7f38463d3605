import type { BrandCtx, BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { HistoryKind } from '../identity/history.rules.ts'
import { type IndexState, insertEpoch, lockIndexState, updateIndexState } from '../nodes/index-state.store.ts'
import { listChangesAfter } from '../nodes/node-changes.store.ts'
import * as apply from './apply.store.ts'
import type { IndexFollower, ShownIndex } from './index-followers.ports.ts'
import type { Plan } from './plan.rules.ts'
import { clearStaged, type Staged, stage } from './staging.service.ts'

export interface Publication {
  readonly project_id: string
  readonly run_id: string
  /** As `openIndex` gave it. */
  readonly epoch: number
  readonly commit_id: string
  readonly history: HistoryKind
}

/** Why an index does not become visible. The one before stays. */
export class NotPublished extends Error {
  override readonly name = 'NotPublished'
  readonly reason: 'superseded' | 'nodes_lost'
  constructor(reason: 'superseded' | 'nodes_lost') {
    super(`not published: ${reason}`)
    this.reason = reason
  }
}

/** Rows of one statement: far below what the limit of a statement allows, also on a busy database. */
const span = 5000
/** Changes that followers are told of at a time. */
const page = 1000

/** Begins a run: from here on no earlier one of the project can publish. */
export const openIndex = (ctx: BrandCtx, project_id: string): Promise<IndexState> =>
  insertEpoch(ctx, project_id)

/**
 * Makes a prepared index visible, in one transaction, or not at all. What it needs lies in staging tables by then. Only the
 * first index of a project is written in many transactions, since nobody sees it before the last one.
 */
export async function publishIndex(
  ctx: OutsideBrandCtx,
  publication: Publication,
  plan: Plan,
  followers: readonly IndexFollower[],
  signal?: AbortSignal,
): Promise<ShownIndex> {
  if (plan.fault) throw new NotPublished(plan.fault)
  const staged = await stage(ctx, publication, plan, signal)
  if (!staged) throw new NotPublished('superseded')
  await ctx.faultPoint('code-index.staged')
  const shown = await show(ctx, publication, plan, staged, followers, signal)
  await ctx.faultPoint('code-index.published')
  await clearStaged(ctx, publication.run_id)
  return shown
}

async function show(
  ctx: OutsideBrandCtx,
  publication: Publication,
  plan: Plan,
  staged: Staged,
  followers: readonly IndexFollower[],
  signal: AbortSignal | undefined,
): Promise<ShownIndex> {
  const steps = stepsOf(publication, staged)
  const { version } = await ctx.tx((ctx) => hold(ctx, publication))
  if (version === 0) {
    for (const step of steps) {
      signal?.throwIfAborted()
      await ctx.tx(async (ctx) => step(ctx, (await hold(ctx, publication)).version + 1))
      await ctx.faultPoint('code-index.written')
    }
  }
  return ctx.tx(async (ctx) => {
    const held = await hold(ctx, publication)
    if (held.version > 0)
      for (const step of steps) {
        await step(ctx, held.version + 1)
        await ctx.faultPoint('code-index.applied')
      }
    return reveal(ctx, publication, plan, held.version === 0 ? undefined : staged, followers)
  })
}

/** Locks the index of the project; refused when a later run has begun. */
async function hold(ctx: BrandTx, { project_id, epoch }: Publication): Promise<IndexState> {
  const state = await lockIndexState(ctx, project_id)
  if (state?.epoch !== epoch) throw new NotPublished('superseded')
  return state
}

type ApplyStep = (ctx: BrandTx, version: number) => Promise<unknown>

/** In this order a place is never taken twice, and no row refers to one that is not there yet. */
function stepsOf({ run_id, project_id }: Publication, staged: Staged): ApplyStep[] {
  const { removed, moved, changed, created, unlinked, linked } = staged
  return [
    ...spans([removed[0], moved[1]]).map(
      (at): ApplyStep =>
        (ctx, version) =>
          apply.updateLeaving(ctx, { run_id, ...at, version }),
    ),
    ...spans(created).map(
      (at): ApplyStep =>
        (ctx) =>
          apply.insertCreated(ctx, { run_id, ...at, project_id }),
    ),
    ...spans([moved[0], changed[1]]).map(
      (at): ApplyStep =>
        (ctx) =>
          apply.updateArriving(ctx, { run_id, ...at }),
    ),
    ...spans(unlinked).map(
      (at): ApplyStep =>
        (ctx) =>
          apply.deleteUnlinked(ctx, { run_id, ...at }),
    ),
    ...spans(linked).map(
      (at): ApplyStep =>
        (ctx) =>
          apply.insertLinked(ctx, { run_id, ...at }),
    ),
  ]
}

function spans([first, end]: readonly [number, number]): { from: number; until: number }[] {
  const found = []
  for (let from = first; from < end; from += span) found.push({ from, until: Math.min(from + span, end) })
  return found
}

/** The last step: what changed is remembered, followers are told, and the index is the visible one. */
async function reveal(
  ctx: BrandTx,
  { project_id, run_id, commit_id, history }: Publication,
  plan: Plan,
  changes: Staged | undefined,
  followers: readonly IndexFollower[],
): Promise<ShownIndex> {
  const updated = await updateIndexState(ctx, {
    project_id,
    commit_id,
    history,
    nodes: plan.nodes_after,
    edges: plan.edges_after,
  })
  const shown = { project_id, version: updated?.version ?? 0, commit_id }
  if (changes) {
    const { version } = shown
    for (const at of spans([changes.removed[0], changes.changed[1]]))
      await apply.insertChanges(ctx, { run_id, ...at, project_id, version, commit_id })
    await ctx.faultPoint('code-index.remembered')
    await tell(ctx, shown, followers)
  }
  for (const follower of followers) await follower.indexShown?.(ctx, shown)
  await ctx.faultPoint('code-index.followed')
  return shown
}

async function tell(ctx: BrandTx, index: ShownIndex, followers: readonly IndexFollower[]): Promise<void> {
  if (followers.length === 0) return
  const { project_id, version } = index
  for (let nid = 0; ; ) {
    const asked = { project_id, version, nid, until: version, limit: page }
    const changes = await listChangesAfter(ctx, asked)
    if (changes.length > 0) for (const follower of followers) await follower.nodesChanged(ctx, index, changes)
    if (changes.length < page) return
    nid = changes.at(-1)?.nid ?? nid
  }
}
