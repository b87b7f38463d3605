import type { Claim } from '@crewhall/contracts/boards/claims.ts'
import type { CardContext } from '@crewhall/contracts/boards/context.ts'
import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { Run } from '@crewhall/contracts/boards/runs.ts'
import type { WorkWish } from '@crewhall/contracts/boards/work.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { lockBoardsForAll, lockedTooFew } from '../boards/boards.store.ts'
import { areBoards } from '../boards/known-boards.service.ts'
import { claimCard } from '../claims/claims.service.ts'
import { packGivenContext } from '../context/context.service.ts'
import { updateKnew } from '../leases/runs.store.ts'
import { startRun } from '../runs/runs.service.ts'
import { knewOf } from './knew.present.ts'
import * as store from './work.store.ts'

interface Work {
  readonly claim: Claim | null
  readonly run: Run | null
  readonly context: CardContext | null
}

/** What an agent otherwise asks for in four calls: each part is the write or read that has a route of its own. */
export const nextWork = (ctx: BrandCtx, wish: WorkWish): Promise<Work> =>
  ctx.tx(async (ctx) => {
    const { budget_bytes, board_ids = null, task_type = null, labels = null, ...rest } = wish
    const { priorities = null, ...claiming } = rest
    if (board_ids && !(await areBoards(ctx, board_ids))) throw boardNotFound()
    const filter = { board_ids, task_type, labels, priorities }
    await store.lockWork(ctx)
    const found = await store.findWork(ctx, filter)
    if (!found) return { claim: null, run: null, context: null }
    await lockBoardsForAll(ctx, [found.board_id])
    // Before the lock, somebody may have taken the card by its name or changed it.
    const seen = await store.findWork(ctx, { ...filter, board_ids: [found.board_id] })
    if (seen?.id !== found.id) throw lockedTooFew()
    const claim = await claimCard(ctx, found.id, claiming)
    await ctx.faultPoint('boards.next')
    const run = await startRun(ctx, found.id, { epoch: claim.epoch, worker: wish.worker })
    await ctx.faultPoint('boards.next')
    const { context, sources } = await packGivenContext(ctx, found.id, budget_bytes)
    await updateKnew(
      ctx,
      run.id,
      knewOf({ run_id: run.id, at: run.started_at, budget_bytes }, context, sources),
    )
    return { claim, run, context }
  })
