import type { prStates } from '@crewhall/contracts/boards/card-fields.ts'
import type { CheckState } from '@crewhall/contracts/boards/hooks.ts'

/** A repository as its host names it. */
export interface ToldRepository {
  readonly remote_id: number
  readonly url: string
  readonly default_branch: string | null
}

/** States are ordered by these three, whatever the order in which they come. Times of hosts are often whole seconds. */
export interface Ordered {
  readonly changed_at: string
  readonly state_rank: number
  readonly content: string
}

export interface ToldPull extends Ordered {
  readonly number: number
  readonly url: string
  readonly state: (typeof prStates)[number]
  readonly branch: string
  readonly is_fork: boolean
  readonly head_sha: string
  readonly merged_sha: string | null
  readonly merged_at: string | null
  readonly opened_at: string
  readonly refs: readonly string[]
}

export interface ToldPush {
  readonly branch: string
  readonly before: string
  readonly after: string
  readonly at: string
  /** Only those that name cards. */
  readonly commits: readonly { readonly sha: string; readonly at: string; readonly refs: readonly string[] }[]
}

export interface ToldSuite extends Ordered {
  readonly id: number
  readonly sha: string
  readonly state: CheckState
}

/** Two states of one second: the one that is further along counts, and else any, but always the same one. */
export function ordered<T extends { readonly changed_at: string }>(told: T, state_rank: number): T & Ordered {
  return { ...told, state_rank, content: JSON.stringify(told) }
}
