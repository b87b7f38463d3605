import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import { findIndexState } from '../nodes/index-state.store.ts'
import { askRemote, type CloneDeps } from '../repositories/clones.service.ts'
import { findRepository } from '../repositories/repositories.store.ts'
import * as store from './check-remotes.store.ts'
import { askForRun } from './runs.service.ts'

const bite = 8

/** For remotes that tell us nothing. One that cannot be asked is asked again when its time comes. */
export async function checkDueRemotes(
  ctx: OutsideSystemCtx,
  deps: CloneDeps,
  minutes: number,
  signal: AbortSignal,
): Promise<void> {
  if (minutes === 0) return
  while (!signal.aborted) {
    const due = await store.takeDueRemotes(ctx, minutes, bite)
    await Promise.all(due.map((each) => check(ctx, deps, each, signal)))
    if (due.length < bite) return
  }
}

async function check(
  ctx: OutsideSystemCtx,
  deps: CloneDeps,
  { brand_id, project_id }: store.DueRemote,
  signal: AbortSignal,
): Promise<void> {
  const brand = ctx.forBrand(brand_id)
  const repository = await findRepository(brand, project_id)
  if (!repository) return
  const [commit, visible] = await Promise.all([
    askRemote(brand, deps, repository, signal).catch(() => undefined),
    findIndexState(brand, project_id),
  ])
  if (commit === undefined || commit === visible?.commit_id) return
  await brand.tx((ctx) => askForRun(ctx, project_id, 'check'))
}
