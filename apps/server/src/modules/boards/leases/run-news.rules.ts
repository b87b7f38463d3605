import type { Run } from '@crewhall/contracts/boards/runs.ts'

/** Characters of the line: entries of the feed are kept for long, and summaries are not short. */
const lineCharacters = 200

export interface ReportedRun {
  readonly id: string
  readonly status: Run['status']
  readonly reason: string | null
  readonly summary: string
  readonly usage_tokens: number
  readonly usage_cost_micros: number
}

/** What the feed tells of a run, so that a follower needs no read. */
export const newsOf = (run: ReportedRun) => ({
  run_id: run.id,
  status: run.status,
  reason: run.reason,
  line: lineOf(run.summary),
  usage: { tokens: run.usage_tokens, cost_micros: run.usage_cost_micros },
})

/** The last line with words in it: workers append to their summary, so it is the newest. */
export function lineOf(summary: string): string {
  const line =
    summary
      .trimEnd()
      .split(/[\r\n\u2028\u2029]/u)
      .at(-1) ?? ''
  return Array.from(line.trim()).slice(0, lineCharacters).join('')
}

export const isNews = (before: ReportedRun, after: ReportedRun): boolean =>
  before.status !== after.status ||
  before.reason !== after.reason ||
  before.summary !== after.summary ||
  before.usage_tokens !== after.usage_tokens ||
  before.usage_cost_micros !== after.usage_cost_micros
