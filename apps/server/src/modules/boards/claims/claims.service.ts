import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import { alreadyClaimed, type Claim, claimLost, notClaimable } from '@crewhall/contracts/boards/claims.ts'
import { boardNotFound, cardArchived } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { recordActivity } from '../activity/record-activity.service.ts'
import { workerActorOf } from '../board-actor.ts'
import { lockOpenBoard } from '../boards/boards.service.ts'
import { findBoard } from '../boards/boards.store.ts'
import { presentSummary } from '../cards/cards.present.ts'
import { isOver } from '../cards/cards.rules.ts'
import type { FullRow } from '../cards/cards.store.ts'
import { withCard } from '../cards/locked-card.service.ts'
import { holdingOf } from './claims.rules.ts'
import * as store from './claims.store.ts'

const standardPage = 50

interface Wish {
  readonly lease_seconds: number
  readonly worker?: string | undefined
}

export const claimCard = (ctx: BrandCtx, id: string, wish: Wish): Promise<Claim> =>
  withCard(ctx, id, async (ctx, { board, card }) => {
    if (card.archived_at !== null) throw cardArchived()
    const holder = workerActorOf(ctx.actor, wish.worker)
    if (card.is_claimed && card.claim_holder) {
      if (!isSame(card.claim_holder, holder)) throw alreadyClaimed(holdingOf(card))
      return present(id, await store.updateLease(ctx, id, wish.lease_seconds))
    }
    if (isOver(card.status) || card.open_blockers > 0) throw notClaimable()
    return take(ctx, { board_id: board.id, id, holder, seconds: wish.lease_seconds })
  })

/** The board is locked while it looks, so two that ask at once get two cards. */
export const claimNext = (
  ctx: BrandCtx,
  board_id: string,
  wish: Wish & { readonly task_type?: string | undefined },
) =>
  ctx.tx(async (ctx) => {
    const board = await lockOpenBoard(ctx, board_id)
    const [first] = await store.listReady(ctx, { board_id, task_type: wish.task_type ?? null, limit: 1 })
    if (!first) return { claim: null, task: null }
    const holder = workerActorOf(ctx.actor, wish.worker)
    const claim = await take(ctx, { board_id, id: first.id, holder, seconds: wish.lease_seconds })
    return { claim, task: presentSummary(board, first) }
  })

interface Held {
  readonly claim_id: string
  readonly epoch: number
}

export const extendClaim = (ctx: BrandCtx, id: string, held: Held & { lease_seconds: number }) =>
  withCard(ctx, id, async (ctx, { card }) => {
    if (!isHeld(card, held)) throw claimLost(holdingOf(card))
    return present(id, await store.updateLease(ctx, id, held.lease_seconds))
  })

export const releaseClaim = (ctx: BrandCtx, id: string, held: Held) =>
  withCard(ctx, id, async (ctx, { board, card }) => {
    if (!isHeld(card, held)) throw claimLost(holdingOf(card))
    await store.deleteClaim(ctx, id)
    const actor = card.claim_holder ?? workerActorOf(ctx.actor, undefined)
    const data = { epoch: card.claim_epoch }
    await recordActivity(ctx, { board_id: board.id, action: 'task.released', card_id: id, actor, data })
    return { released: true as const }
  })

export async function listReadyCards(
  ctx: BrandCtx,
  board_id: string,
  query: { readonly task_type?: string | undefined; readonly limit?: number | undefined },
) {
  const at = { board_id, task_type: query.task_type ?? null, limit: query.limit ?? standardPage }
  const [board, rows] = await Promise.all([findBoard(ctx, board_id), store.listReady(ctx, at)])
  if (!board) throw boardNotFound()
  return { items: rows.map((row) => presentSummary(board, row)) }
}

async function take(
  ctx: BrandTx,
  { board_id, id, holder, seconds }: { board_id: string; id: string; holder: Actor; seconds: number },
): Promise<Claim> {
  const row = await store.updateClaim(ctx, id, holder, seconds)
  const data = { epoch: row?.claim_epoch, expires_at: row?.claim_expires_at }
  await recordActivity(ctx, { board_id, action: 'task.claimed', card_id: id, actor: holder, data })
  return present(id, row)
}

const isSame = (one: Actor, other: Actor): boolean =>
  one.kind === other.kind && one.id === other.id && one.name === other.name

const isHeld = (card: FullRow, { claim_id, epoch }: Held): boolean =>
  card.is_claimed && card.claim_id === claim_id && card.claim_epoch === epoch

function present(task_id: string, row: store.ClaimRow | undefined): Claim {
  const { claim_id, claim_holder, claim_expires_at, claim_epoch } = row ?? {}
  if (!claim_id || !claim_holder || !claim_expires_at || claim_epoch === undefined) {
    throw new Error('a claim was written and is not there')
  }
  return { claim_id, task_id, epoch: claim_epoch, expires_at: claim_expires_at, holder: claim_holder }
}
