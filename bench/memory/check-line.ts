/** One line of the table. */
export interface CheckLine {
  /** As the design names it, such as C1. */
  readonly check: string
  readonly what: string
  readonly measured: string
  readonly bar?: string
  /** Whether the bar is reached; absent where nothing is judged, and then `informational` may say why. */
  readonly is_met?: boolean
  readonly informational?: string
  /** Why the bar is not reached, where that is known; shown only then. */
  readonly limited_by?: string
  /** Holds whatever the machine and its load: a run in which it does not hold fails. */
  readonly is_promise?: boolean
}

export const ms = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0))
export const share = (value: number): string => value.toFixed(3)

/** Nearest rank. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
}

export function verdictOf({ is_met, informational, limited_by }: CheckLine): string {
  if (is_met === undefined) return informational ? `informational: ${informational}` : ''
  if (is_met) return 'yes'
  return limited_by ? `NO, limited by ${limited_by}` : 'NO'
}
