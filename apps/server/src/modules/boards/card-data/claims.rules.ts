import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import { claimLost } from '@crewhall/contracts/boards/claims.ts'
import type { Refusal } from '@crewhall/contracts/refusal.ts'

export interface Held {
  readonly is_claimed: boolean
  readonly claim_holder: Actor | null
  readonly claim_expires_at: string | null
  readonly claim_epoch: number
}

/** For a refused caller: who holds the claim, and until when. */
export const holdingOf = (card: Held) => ({
  holder: card.is_claimed ? card.claim_holder : null,
  expires_at: card.is_claimed ? card.claim_expires_at : null,
  epoch: card.claim_epoch,
})

/** A write with an epoch comes from a worker under that claim, so the claim must be active. */
export const refusalOfEpoch = (card: Held, epoch: number | undefined): Refusal | undefined =>
  epoch !== undefined && !(card.is_claimed && epoch === card.claim_epoch)
    ? claimLost(holdingOf(card))
    : undefined

interface ClaimFacts {
  readonly holder: Actor
  readonly process: string | null
}

/** Only a caller that names its process can be distinguished from another process of the same agent. */
export const isSameProcess = (held: ClaimFacts, wish: ClaimFacts): boolean =>
  wish.process !== null &&
  wish.process === held.process &&
  held.holder.kind === wish.holder.kind &&
  held.holder.id === wish.holder.id &&
  held.holder.name === wish.holder.name
