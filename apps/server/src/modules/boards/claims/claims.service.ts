import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import { alreadyClaimed, type Claim, claimLost, notClaimable } from '@crewhall/contracts/boards/claims.ts'
import {
  boardArchived,
  boardNotFound,
  cardArchived,
  cardNotFound,
} from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { lockOpenBoard } from '../boards/boards.service.ts'
import { findBoard } from '../boards/boards.store.ts'
import { presentSummary } from '../card-data/cards.present.ts'
import { isOver } from '../card-data/cards.rules.ts'
import { type FullRow, findCard } from '../card-data/cards.store.ts'
import { holdingOf, isSameProcess } from '../card-data/claims.rules.ts'
import { withCard } from '../cards/locked-card.service.ts'
import { endClaim, loseRuns } from '../leases/claim-end.service.ts'
import * as store from '../leases/claims.store.ts'
import { expireClaims } from '../leases/leases.service.ts'
import { sameWorkerOf, workerActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'

interface Wish {
  readonly lease_seconds: number
  readonly worker?: string | undefined
  readonly process?: string | undefined
}

const processOf = ({ process, worker }: Wish): string | null => process ?? worker ?? null

export const claimCard = (ctx: BrandCtx, id: string, wish: Wish): Promise<Claim> =>
  withCard(ctx, id, async (ctx, { board, card }) => {
    if (card.archived_at !== null) throw cardArchived()
    const holder = workerActorOf(ctx.actor, wish.worker)
    if (card.is_claimed && card.claim_holder) {
      const held = { holder: card.claim_holder, process: card.claim_process }
      if (!isSameProcess(held, { holder, process: processOf(wish) })) throw alreadyClaimed(holdingOf(card))
      return presentClaim(id, await store.updateLease(ctx, id, wish.lease_seconds))
    }
    if (isOver(card.status) || card.open_blockers > 0) throw notClaimable()
    return take(ctx, { ...card, board_id: board.id }, { holder, wish })
  })

/** The board is locked while it looks, so two that ask at once get two cards. */
export const claimNext = (
  ctx: BrandCtx,
  board_id: string,
  wish: Wish & { readonly task_type?: string | undefined },
) =>
  ctx.tx(async (ctx) => {
    const board = await lockOpenBoard(ctx, board_id)
    await expireClaims(ctx, board_id)
    const [first] = await store.listReady(ctx, { board_id, task_type: wish.task_type ?? null, limit: 1 })
    if (!first) return { claim: null, task: null }
    const holder = workerActorOf(ctx.actor, wish.worker)
    const claim = await take(ctx, { ...first, board_id }, { holder, wish })
    return { claim, task: presentSummary(board, first) }
  })

interface Held {
  readonly claim_id: string
  readonly epoch: number
}

/** Every worker does this all the time, so it waits for nobody. */
export async function extendClaim(
  ctx: BrandCtx,
  id: string,
  { lease_seconds: seconds, ...held }: Held & { lease_seconds: number },
): Promise<Claim> {
  const row = await store.updateHeldLease(ctx, id, { ...held, seconds })
  if (row) return presentClaim(id, row)
  const card = await findCard(ctx, id)
  const board = card && (await findBoard(ctx, card.board_id))
  if (!card || !board) throw cardNotFound()
  throw board.archived_at === null ? claimLost(holdingOf(card)) : boardArchived()
}

/** A member may release anyone's claim, and the feed records it; another agent may not. */
export const releaseClaim = (ctx: BrandCtx, id: string, held: Held) =>
  withCard(ctx, id, async (ctx, { card }) => {
    const { claim_holder: holder } = card
    if (!holder || !isHeld(card, held)) throw claimLost(holdingOf(card))
    const actor = sameWorkerOf(ctx.actor, holder)
    const isOwn = actor === holder
    if (!isOwn && actor.kind === 'agent') throw claimLost(holdingOf(card))
    const reason = isOwn ? 'released' : 'taken_away'
    await endClaim(ctx, card, { action: 'task.released', actor, reason })
    return { released: true as const }
  })

export async function listReadyCards(
  ctx: BrandCtx,
  board_id: string,
  query: { readonly task_type?: string | undefined; readonly limit: number },
) {
  const at = { board_id, task_type: query.task_type ?? null, limit: query.limit }
  const [board, rows] = await Promise.all([findBoard(ctx, board_id), store.listReady(ctx, at)])
  if (!board) throw boardNotFound()
  // Nothing on an archived board can be taken up, as `claimNext` says too.
  if (board.archived_at !== null) return { items: [] }
  return { items: rows.map((row) => presentSummary(board, row)) }
}

async function take(
  ctx: BrandTx,
  { board_id, id }: { board_id: string; id: string },
  { holder, wish }: { holder: Actor; wish: Wish },
): Promise<Claim> {
  const claim = { holder, process: processOf(wish), seconds: wish.lease_seconds }
  const row = await store.updateClaim(ctx, id, claim)
  // A run that was left open when the card was done; now someone else works on the card.
  const earlier = { id, board_id, claim_epoch: (row?.claim_epoch ?? 0) - 1, claim_holder: null }
  await loseRuns(ctx, earlier, holder)
  const data = { epoch: row?.claim_epoch, expires_at: row?.claim_expires_at }
  await recordActivity(ctx, { board_id, action: 'task.claimed', card_id: id, actor: holder, data })
  return presentClaim(id, row)
}

const isHeld = (card: FullRow, { claim_id, epoch }: Held): boolean =>
  card.is_claimed && card.claim_id === claim_id && card.claim_epoch === epoch

export function presentClaim(task_id: string, row: store.ClaimRow | undefined): Claim {
  const { claim_id, claim_holder, claim_expires_at, claim_epoch } = row ?? {}
  if (!claim_id || !claim_holder || !claim_expires_at || claim_epoch === undefined) {
    throw new Error('a claim was written and is not there')
  }
  return { claim_id, task_id, epoch: claim_epoch, expires_at: claim_expires_at, holder: claim_holder }
}
