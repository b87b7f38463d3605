import type { Scope } from '@crewhall/contracts/boards/cycles.ts'

/** What is counted of the cards of a cycle. */
export interface Counts {
  readonly cards: number
  readonly cards_done: number
  readonly cards_unsized: number
  readonly cards_added: number
  readonly estimate: number
  readonly estimate_done: number
  readonly estimate_added: number
}
interface Planned {
  readonly cards: number
  readonly estimate: number
}

/** What was planned against what there is. */
export const deriveScope = (now: Counts, planned: Planned | null): Scope => ({
  planned,
  added: { cards: now.cards_added, estimate: rounded(now.estimate_added) },
  removed_cards: planned ? Math.max(0, planned.cards - (now.cards - now.cards_added)) : 0,
  total: { cards: now.cards, estimate: rounded(now.estimate) },
  done: { cards: now.cards_done, estimate: rounded(now.estimate_done) },
  open: { cards: now.cards - now.cards_done, estimate: rounded(now.estimate - now.estimate_done) },
  unestimated: now.cards_unsized,
})

/** The difference of two sums of tenths is not a tenth to the last bit. */
const rounded = (sum: number): number => Math.round(sum * 1e6) / 1e6
