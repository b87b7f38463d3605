/** What a search returned for one query, best first, and which of it would have been right. */
export interface Judged {
  readonly returned: readonly string[]
  readonly answers: readonly string[]
}

/** The first place that holds an answer, counted from 1. */
export function rankOf({ returned, answers }: Judged): number | undefined {
  const at = returned.findIndex((id) => answers.includes(id))
  return at === -1 ? undefined : at + 1
}

/** The share of queries with an answer among the first `places`. */
export function hitAt(places: number, judged: readonly Judged[]): number {
  return mean(judged.map((each) => ((rankOf(each) ?? Number.POSITIVE_INFINITY) <= places ? 1 : 0)))
}

/** Mean reciprocal rank: 1 for a first place, 1/2 for a second, 0 for what was not found. */
export function meanReciprocalRank(judged: readonly Judged[]): number {
  return mean(judged.map((each) => 1 / (rankOf(each) ?? Number.POSITIVE_INFINITY)))
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length
}
