import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import { claimLost } from '@crewhall/contracts/boards/claims.ts'
import type { Refusal } from '@crewhall/contracts/refusal.ts'

export interface Held {
  readonly is_claimed: boolean
  readonly claim_holder: Actor | null
  readonly claim_expires_at: string | null
  readonly claim_epoch: number
}

/** What a refused caller is told: who has it, and until when. */
export const holdingOf = (card: Held) => ({
  holder: card.is_claimed ? card.claim_holder : null,
  expires_at: card.is_claimed ? card.claim_expires_at : null,
  epoch: card.claim_epoch,
})

/** A write that carries the epoch of an earlier claim comes from somebody who lost the card meanwhile. */
export const refusalOfEpoch = (card: Held, epoch: number | undefined): Refusal | undefined =>
  epoch !== undefined && epoch !== card.claim_epoch ? claimLost(holdingOf(card)) : undefined
