import type { WrittenCard } from '@crewhall/contracts/boards/cards.ts'
import { claimLost } from '@crewhall/contracts/boards/claims.ts'
import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import { type Run, type RunEnd, runNotFound, runOver } from '@crewhall/contracts/boards/runs.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { lockBoardsForAll } from '../boards/boards.store.ts'
import { mayEnd } from '../card-data/cards.rules.ts'
import { findBoardOfCard } from '../card-data/cards.store.ts'
import { holdingOf, refusalOfEpoch } from '../card-data/claims.rules.ts'
import { changeCard, writtenOf } from '../cards/cards.service.ts'
import { withCard } from '../cards/locked-card.service.ts'
import { addComment } from '../comments/comments.service.ts'
import { findRun, type RunRow } from '../leases/runs.store.ts'
import { listBoardsOfWaiting } from '../relations/waiting.store.ts'
import { changeRun } from './runs.service.ts'

interface Finished {
  readonly run: Run
  readonly task: WrittenCard
  readonly changed: string[]
  readonly comment_id: string | null
}

/** What a worker says at the end, all of it or nothing: each part is the write that has a route of its own. */
export const finishRun = (
  ctx: BrandCtx,
  id: string,
  { change = {}, comment, ...ending }: RunEnd,
): Promise<Finished> =>
  ctx.tx(async (ctx) => {
    const { card_id } = await getRun(ctx, id)
    const [board_id, waiting] = await Promise.all([
      findBoardOfCard(ctx, card_id),
      mayEnd(change) ? listBoardsOfWaiting(ctx, [card_id]) : [],
    ])
    if (board_id === undefined) throw cardNotFound()
    await lockBoardsForAll(ctx, [board_id, ...waiting])
    const claim_epoch = await refuseLost(ctx, id, card_id)
    const made = comment === undefined ? undefined : await addComment(ctx, card_id, { body: comment })
    await ctx.faultPoint('boards.finish')
    const changed = await changeCard(ctx, card_id, { ...change, claim_epoch })
    await ctx.faultPoint('boards.finish')
    const run = await changeRun(ctx, id, ending)
    await ctx.faultPoint('boards.finish')
    return {
      run,
      task: writtenOf(changed),
      changed: Object.keys(changed.receipt.changed),
      comment_id: made?.id ?? null,
    }
  })

async function getRun(ctx: BrandTx, id: string): Promise<RunRow> {
  const run = await findRun(ctx, id)
  if (!run) throw runNotFound()
  return run
}

/** A run under a claim ends with that claim only: what comes later is told who holds the card now. */
const refuseLost = (ctx: BrandTx, id: string, card_id: string): Promise<number | undefined> =>
  withCard(ctx, card_id, async (ctx, { card }) => {
    const { status, claim_epoch } = await getRun(ctx, id)
    if (status === 'lost') throw claimLost(holdingOf(card))
    if (status !== 'running') throw runOver()
    const epoch = claim_epoch ?? undefined
    const stale = refusalOfEpoch(card, epoch)
    if (stale) throw stale
    return epoch
  })
