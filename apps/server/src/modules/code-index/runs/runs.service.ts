import { randomUUIDv7 } from 'node:crypto'
import type { IndexState } from '@crewhall/contracts/code-index/index-state.ts'
import { runIndex } from '@crewhall/contracts/code-index/jobs.ts'
import * as refused from '@crewhall/contracts/code-index/refusals.ts'
import type { BrandCtx, BrandTx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Sweep } from '#platform/jobs/sweep.ts'
import { findIndexState } from '../nodes/index-state.store.ts'
import { getProject, lockOpenProject } from '../projects/projects.service.ts'
import { findRepository } from '../repositories/repositories.store.ts'
import { presentIndex } from './runs.present.ts'
import * as store from './runs.store.ts'

export async function getIndexState(ctx: BrandCtx, project_id: string): Promise<IndexState> {
  await getProject(ctx, project_id)
  return stateOf(ctx, project_id)
}

export const requestIndex = (ctx: BrandCtx, project_id: string): Promise<IndexState> =>
  ctx.tx(async (ctx) => {
    await lockOpenProject(ctx, project_id)
    if (!(await findRepository(ctx, project_id))) throw refused.noRepository()
    await askForRun(ctx, project_id, 'request')
    return stateOf(ctx, project_id)
  })

/** At most one run of a project is open. Asked for while it runs, another one follows it. */
export async function askForRun(ctx: BrandTx, project_id: string, trigger: store.Trigger): Promise<void> {
  const id = randomUUIDv7()
  const run = await store.insertRun(ctx, { id, project_id, trigger })
  if (run?.id === id || run?.is_lost) await enqueueRun(ctx, project_id)
}

/**
 * The first run of a workspace comes before the second one of any other, and so on: whoever has hundreds of repositories
 * makes nobody wait but himself.
 */
async function enqueueRun(ctx: BrandTx, project_id: string): Promise<void> {
  const open = await store.countOpenRuns(ctx)
  await ctx.enqueue(runIndex, { brand_id: ctx.brandId, project_id }, { priority: Math.min(0, 1 - open) })
}

const mostLost = 200

/** Runs whose job is gone begin again. Also those that have waited for long: by now their turn may come earlier. */
export async function restartLostRuns(ctx: OutsideSystemCtx, signal: AbortSignal): Promise<void> {
  for (const { brand_id, id } of await store.listLostRuns(ctx, mostLost)) {
    if (signal.aborted) return
    await ctx.forBrand(brand_id).tx(async (ctx) => {
      const run = await store.updateAsked(ctx, id)
      if (run) await enqueueRun(ctx, run.project_id)
    })
  }
}

async function stateOf(ctx: BrandCtx, project_id: string): Promise<IndexState> {
  const run = await store.findLastRun(ctx, project_id)
  return presentIndex(project_id, run, await findIndexState(ctx, project_id))
}

/** The last run of a project stays, however old. */
const days = 30
export const runSweep: Sweep = {
  table: 'code_index.runs',
  bite: (ctx, limit) => store.deleteOldRuns(ctx, days, limit),
}
