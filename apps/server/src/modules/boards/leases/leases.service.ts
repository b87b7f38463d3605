import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { lockBoards } from '../boards/boards.store.ts'
import { findBoardOfCard, lockCard } from '../card-data/cards.store.ts'
import { endClaim, loseRuns } from './claim-end.service.ts'
import * as store from './leases.store.ts'
import { findRun } from './runs.store.ts'

const platform: Actor = { kind: 'system', id: 'leases', name: 'leases', on_behalf_of: null }
/** Leases that one write of the board ends on its way. */
const atOnce = 50
const page = 200

/** Called by every write that locks a card and finds its lease expired, before anything else. */
export const expireClaim = (ctx: BrandTx, card: store.EndedRow): Promise<void> =>
  endClaim(ctx, card, { action: 'task.claim_expired', actor: platform, reason: 'expired' })

/** Only under the lock of the board. */
export async function expireClaims(ctx: BrandTx, board_id: string): Promise<void> {
  for (const card of await store.lockEndedLeases(ctx, board_id, atOnce)) await expireClaim(ctx, card)
}

/** For cards that nobody touches: their leases end in the feed too, within a minute. */
export async function endDueLeases(ctx: SystemCtx, signal: AbortSignal): Promise<void> {
  await eachDue(
    (at) => store.listDueLeases(ctx.overBrands(), at),
    signal,
    ({ brand_id, id }) =>
      ctx.forBrand(brand_id).tx(async (ctx) => {
        await lockBoardOf(ctx, id)
        const card = await lockCard(ctx, id)
        if (card && card.claim_id !== null && !card.is_claimed) await expireClaim(ctx, card)
      }),
  )
  await eachDue(
    (at) => store.listDueRuns(ctx.overBrands(), at),
    signal,
    ({ brand_id, id, card_id }) =>
      ctx.forBrand(brand_id).tx(async (ctx) => {
        await lockBoardOf(ctx, card_id)
        const [card, run] = [await lockCard(ctx, card_id), await findRun(ctx, id)]
        if (!card || run?.status !== 'running' || !run.is_late || run.claim_epoch === null) return
        await loseRuns(ctx, { ...card, claim_epoch: run.claim_epoch }, platform)
      }),
  )
}

async function lockBoardOf(ctx: BrandTx, card_id: string): Promise<void> {
  const board_id = await findBoardOfCard(ctx, card_id)
  // Also on an archived board: leases expire there too.
  if (board_id !== undefined) await lockBoards(ctx, [board_id])
}

/** From place to place, so that one that cannot be ended does not hold up the others. */
async function eachDue<Row extends store.DueRow>(
  list: (at: { due_at: string; id: string; limit: number }) => Promise<Row[]>,
  signal: AbortSignal,
  work: (row: Row) => Promise<void>,
): Promise<void> {
  let at = { due_at: '-infinity', id: '00000000-0000-0000-0000-000000000000' }
  for (;;) {
    const rows = await list({ ...at, limit: page })
    for (const row of rows) {
      if (signal.aborted) return
      await work(row)
    }
    const last = rows.at(-1)
    if (!last || rows.length < page) return
    at = { due_at: last.due_at, id: last.id }
  }
}
