import type { CheckLine } from '../memory/check-line.ts'
import { checkBeats } from './beat-check.ts'
import { checkMillion } from './million-check.ts'
import { checkGaps, checkPolling } from './poll-check.ts'

export interface DesksOptions {
  readonly desks: number
  readonly interval_ms: number
  readonly seconds: number
  /** Of those that are left alone, in compressed time. */
  readonly left_alone: number
  readonly left_interval_ms: number
  /** Beats of each of 200 desks. */
  readonly beats: number
  readonly rows: number
  readonly only: RegExp
}

/** Parts are named `polling`, `gaps`, `beats` and `rows`. */
export async function* benchDesks(options: DesksOptions): AsyncGenerator<CheckLine> {
  const { only, desks, interval_ms, seconds } = options
  if (only.test('polling')) yield* checkPolling({ desks, interval_ms, seconds })
  if (only.test('gaps')) yield* checkGaps(options.left_alone, options.left_interval_ms)
  if (only.test('beats')) yield* checkBeats(options.beats)
  if (only.test('rows')) yield* checkMillion(options.rows)
}
