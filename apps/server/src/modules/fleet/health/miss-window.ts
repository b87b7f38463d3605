import { isMassMiss } from './health.rules.ts'

interface Tally {
  readonly at_ms: number
  readonly checked: number
  readonly missed: number
}

/** A fault that lasts longer is not ours, or has to be seen. */
const patienceMs = 5 * 60_000

/** Checks of one cell over the time in which each desk is checked once: whether so many were missed that it is our fault. */
export class MissWindow {
  readonly #span_ms: number
  #tallies: Tally[] = []
  #suspectSince: number | undefined

  constructor(span_ms: number) {
    this.#span_ms = span_ms
  }

  /** Whether misses count now, and whether the cell has just become suspect. */
  add(tally: Tally): { counts: boolean; is_new: boolean; checked: number; missed: number } {
    this.#tallies = [...this.#tallies, tally].filter(({ at_ms }) => at_ms > tally.at_ms - this.#span_ms)
    const checked = sum(this.#tallies.map((each) => each.checked))
    const missed = sum(this.#tallies.map((each) => each.missed))
    const isSuspect = isMassMiss({ checked, missed })
    const is_new = isSuspect && this.#suspectSince === undefined
    this.#suspectSince = isSuspect ? (this.#suspectSince ?? tally.at_ms) : undefined
    const counts = this.#suspectSince === undefined || tally.at_ms - this.#suspectSince >= patienceMs
    return { counts, is_new, checked, missed }
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
