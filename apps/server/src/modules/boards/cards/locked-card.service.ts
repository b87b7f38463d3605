import { cardArchived, cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import { versionUnmet } from '@crewhall/contracts/refusal.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { openBoardOf } from '../boards/boards.service.ts'
import { type LockedBoard, type LockedBoards, lockBoards } from '../boards/boards.store.ts'
import * as store from '../card-data/cards.store.ts'
import { refusalOfEpoch } from '../card-data/claims.rules.ts'
import { expireClaim } from '../leases/leases.service.ts'
import { listBoardsOfWaiting } from '../relations/waiting.store.ts'

/** A card that nobody else can change until the end of the transaction. */
export interface LockedCard {
  readonly board: LockedBoard
  readonly card: store.FullRow
  /** Its board, and those of the cards that wait for it where a write may end that. */
  readonly locked: LockedBoards
}

type Work<T> = (ctx: BrandTx, at: LockedCard) => Promise<T>

/** The boards first, then the card: always in this order. */
export const withCard = <T>(ctx: BrandCtx, id: string, work: Work<T>): Promise<T> =>
  lockedWith(ctx, id, false, work)

/** For writes after which others may no longer have to wait for the card, or have to wait again. */
export const withCardAndWaiting = <T>(ctx: BrandCtx, id: string, work: Work<T>): Promise<T> =>
  lockedWith(ctx, id, true, work)

const lockedWith = <T>(ctx: BrandCtx, id: string, isAwaited: boolean, work: Work<T>): Promise<T> =>
  ctx.tx(async (ctx) => {
    const [board_id, others] = await Promise.all([
      store.findBoardOfCard(ctx, id),
      isAwaited ? listBoardsOfWaiting(ctx, [id]) : [],
    ])
    if (board_id === undefined) throw cardNotFound()
    const locked = await lockBoards(ctx, [board_id, ...others])
    const board = openBoardOf(locked, board_id)
    return work(ctx, { board, card: await lockPresent(ctx, id), locked })
  })

/** The current state: an expired lease ends the claim for everyone, and the feed records it. */
async function lockPresent(ctx: BrandTx, id: string): Promise<store.FullRow> {
  const card = await store.lockCard(ctx, id)
  if (!card) throw cardNotFound()
  if (card.claim_id === null || card.is_claimed) return card
  await expireClaim(ctx, card)
  const after = await store.lockCard(ctx, id)
  if (!after) throw cardNotFound()
  return after
}

/** Versions that the caller takes the card to have; any without a word on it. */
export type Versions = readonly number[] | undefined

export interface Conditions {
  readonly versions?: Versions
  /** Of the claim under which the caller writes; then it has to be the present one. */
  readonly epoch?: number | undefined
}

export function refuseUnmet({ card }: LockedCard, { versions, epoch }: Conditions): void {
  if (versions !== undefined && !versions.includes(card.version)) throw versionUnmet()
  const stale = refusalOfEpoch(card, epoch)
  if (stale) throw stale
}

export function refuseArchived({ card }: LockedCard): void {
  if (card.archived_at !== null) throw cardArchived()
}
