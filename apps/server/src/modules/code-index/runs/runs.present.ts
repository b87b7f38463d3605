import { type IndexState, indexFaults, skippedShown } from '@crewhall/contracts/code-index/index-state.ts'
import type { RunRow } from './runs.store.ts'

/** What is visible, whatever the last run does. */
export interface Visible {
  readonly commit_id: string | null
  readonly published_at: string | null
  readonly nodes: number
  readonly edges: number
}

const states = { waiting: 'waiting', running: 'running', done: 'ready', failed: 'failed' } as const

export const presentIndex = (
  project_id: string,
  run: RunRow | undefined,
  visible: Visible | undefined,
): IndexState => ({
  project_id,
  state: run ? states[run.state] : 'none',
  stage: run?.stage ?? null,
  files_done: run?.files_done ?? 0,
  files_total: run?.files_total ?? 0,
  skipped: (run?.skipped ?? []).slice(0, skippedShown),
  skipped_total: run?.skipped_total ?? 0,
  resolved_share:
    run && run.references_total > 0
      ? Math.round((run.references_resolved / run.references_total) * 10_000) / 10_000
      : null,
  fault: run?.fault ? { code: run.fault, text: indexFaults[run.fault] } : null,
  commit: visible?.commit_id ?? null,
  indexed_at: visible?.published_at ?? null,
  nodes: visible?.nodes ?? 0,
  edges: visible?.edges ?? 0,
  requested_at: run?.requested_at ?? null,
  started_at: run?.started_at ?? null,
  ended_at: run?.ended_at ?? null,
})
