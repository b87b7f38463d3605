import type { FullCard, SummaryCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { Comment } from '@crewhall/contracts/boards/comments.ts'
import {
  peopleOfSharedCard,
  plainSharedFields,
  type SharedCard,
  type SharedComment,
  type SharedListedCard,
} from '@crewhall/contracts/boards/shared-cards.ts'

/** Of a card in any detail, what a guest may see of it. */
export function presentListed(card: SummaryCard & Partial<FullCard>): SharedListedCard {
  const plain = plainSharedFields.filter((name) => name in card).map((name) => [name, card[name]])
  const people = peopleOfSharedCard
    .filter((name) => name in card)
    .map((name) => [name, card[name] ? byName(card[name]) : null])
  return Object.fromEntries([...plain, ...people]) as SharedListedCard
}

export const presentShared = (card: FullCard): SharedCard => presentListed(card) as SharedCard

export const presentComment = ({ author, ...comment }: Comment): SharedComment => ({
  ...comment,
  author: byName(author),
})

const byName = <Kind>({ kind, name }: { readonly kind: Kind; readonly name: string }) => ({ kind, name })
