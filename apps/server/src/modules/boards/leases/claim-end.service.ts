import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import type { FullRow } from '../card-data/cards.store.ts'
import { tellBroke } from '../telling/tell-readers.service.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import { deleteClaim } from './claims.store.ts'
import { lineOf, newsOf } from './run-news.rules.ts'
import { updateLastRun, updateLostRuns, updateRunsLeftOpen } from './runs.store.ts'

interface Ending {
  readonly action: 'task.released' | 'task.claim_expired'
  readonly actor: Actor
  /** Why, in a word, when it did not just end. */
  readonly reason: 'released' | 'taken_away' | 'expired' | 'done' | 'canceled' | 'archived' | 'run_finished'
  /** Whether its worker may still say what came of its run, because the work is over and not the lease. */
  readonly mayReport?: boolean
}

/** A card that is claimed, or was when it was read. */
type Claimed = Pick<FullRow, 'id' | 'board_id' | 'claim_epoch' | 'claim_holder'>

/**
 * The one way for a claim to end. The epoch rises, so what its worker still sends comes too late; its runs end with
 * it, because nobody works on them; and the feed says who ended it. Only under the lock of the board.
 */
export async function endClaim(ctx: BrandTx, card: Claimed, ending: Ending): Promise<void> {
  const { id, board_id, claim_epoch: epoch, claim_holder: holder } = card
  const { action, actor, reason } = ending
  if (ending.mayReport) await updateRunsLeftOpen(ctx, id, epoch)
  await deleteClaim(ctx, id)
  await recordActivity(ctx, { board_id, action, card_id: id, actor, data: { epoch, holder, reason } })
  if (!ending.mayReport) await loseRuns(ctx, card, actor)
}

/** Runs of this claim that have not ended are lost. */
export async function loseRuns(ctx: BrandTx, card: Claimed, actor: Actor): Promise<void> {
  const lost = await updateLostRuns(ctx, card.id, card.claim_epoch)
  if (lost.length === 0) return
  await updateLastRun(ctx, { card_id: card.id, tokens: 0, cost_micros: 0 })
  for (const run of lost) {
    const entry = { board_id: card.board_id, card_id: card.id, actor, action: 'run.finished' }
    await recordActivity(ctx, { ...entry, data: newsOf(run) })
  }
  // Taken away by a person, it is no news to anybody; a worker that has gone silent is.
  const [last] = lost
  if (actor.kind === 'system' && last) await tellBroke(ctx, card.id, { reason: lineOf(last.summary), actor })
}
