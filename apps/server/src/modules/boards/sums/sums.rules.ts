import {
  type leadBounds,
  mostSumWeeks,
  tooManyWeeks,
  weeksReversed,
} from '@crewhall/contracts/boards/sums.ts'

const dayMs = 86_400_000
const weekMs = 7 * dayMs
/** Weeks that count where nothing is said. */
const standardWeeks = 12

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
/** The first day of 1970 was a Thursday, so all times from then on count from the Monday before. */
const mondayOf = (ms: number): number => Math.floor((ms + 3 * dayMs) / weekMs) * weekMs - 3 * dayMs

interface Weeks {
  readonly from: string
  readonly to: string
}

/** The Mondays of the first and the last week that count. */
export function deriveWeeks(
  asked: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Date,
): Weeks {
  const to = mondayOf(asked.to === undefined ? now.getTime() : Date.parse(asked.to))
  const from = asked.from === undefined ? to - (standardWeeks - 1) * weekMs : mondayOf(Date.parse(asked.from))
  if (from > to) throw weeksReversed()
  if (to - from >= mostSumWeeks * weekMs) throw tooManyWeeks()
  return { from: dayOf(from), to: dayOf(to) }
}

type Bound = (typeof leadBounds)[number]

/** The first bound that this share of the cards did not pass. */
export const derivePercentile = (
  within: readonly { readonly seconds: Bound; readonly cards: number }[],
  { cards, percent }: { readonly cards: number; readonly percent: number },
): Bound | null =>
  cards === 0 ? null : (within.find((each) => each.cards * 100 >= cards * percent)?.seconds ?? null)
