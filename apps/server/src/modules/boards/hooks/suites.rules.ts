import type { GitHubCheckSuite, GitLabPipeline } from '@crewhall/contracts/boards/hook-payloads.ts'
import type { CheckState, HookService } from '@crewhall/contracts/boards/hooks.ts'
import { ordered, type ToldSuite } from './states.rules.ts'

type GitHubSuite = ReturnType<typeof GitHubCheckSuite.parse>['check_suite']
type Pipeline = ReturnType<typeof GitLabPipeline.parse>

const passing: readonly string[] = ['success', 'neutral', 'skipped']

export function gitHubSuite({ id, head_sha, status, conclusion, updated_at }: GitHubSuite): ToldSuite {
  const isOver = status === 'completed'
  const state = !isOver ? 'pending' : passing.includes(conclusion ?? '') ? 'passed' : 'failed'
  const rank = isOver ? 2 : status === 'in_progress' ? 1 : 0
  return ordered({ id, sha: head_sha, state, changed_at: updated_at } as const, rank)
}

/** In the order in which a pipeline passes through them; all others come before. */
const statuses = ['running', 'canceling', 'skipped', 'canceled', 'failed', 'success']

/** It has no time of its last change, but the last time in it only grows: also when a job runs again. */
export function gitLabSuite({ object_attributes: pipeline, builds }: Pipeline): ToldSuite | undefined {
  const { id, sha, status } = pipeline
  const times = [pipeline, ...builds].flatMap((each) => [
    each?.created_at,
    each?.started_at,
    each?.finished_at,
  ])
  const changed_at = times.reduce<string>((last, time) => (time && time > last ? time : last), '')
  if (changed_at === '') return undefined
  const state =
    status === 'success' || status === 'skipped'
      ? 'passed'
      : status === 'failed' || status === 'canceled'
        ? 'failed'
        : 'pending'
  return ordered({ id, sha, state, changed_at } as const, statuses.indexOf(status) + 1)
}

interface SuiteFacts {
  readonly hook_id: string
  readonly service: HookService
  readonly id: number
  readonly state: CheckState
}

/** Every suite of GitHub counts; of the pipelines of GitLab, the last. */
export function deriveChecks(suites: readonly SuiteFacts[]): CheckState | null {
  const last = (one: SuiteFacts) =>
    one.service === 'github' || !suites.some((other) => other.hook_id === one.hook_id && other.id > one.id)
  const states = suites.filter(last).map(({ state }) => state)
  if (states.length === 0) return null
  return states.includes('failed') ? 'failed' : states.includes('pending') ? 'pending' : 'passed'
}
