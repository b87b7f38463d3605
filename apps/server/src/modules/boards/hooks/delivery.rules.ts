import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'

interface PullFacts {
  readonly number: number
  readonly url: string
  readonly state: NonNullable<FullCard['pr_state']>
  readonly head_sha: string
  readonly merged_sha: string | null
  readonly merged_at: string | null
}

interface Facts {
  /** What stands on the card. */
  readonly pr_url: string | null
  /** The address that a delivery has written there. */
  readonly written_url: string | null
  /** Pull requests that are about the card, the best first. */
  readonly pulls: readonly PullFacts[]
  /** The last commit of its branch, or the last that names it; null for none. */
  readonly last_sha: string | null
}

type Change = Partial<Pick<FullCard, 'pr_number' | 'pr_url' | 'pr_state' | 'merged_at' | 'commit_sha'>>

export interface Delivered {
  readonly change: Change
  readonly written_url: string | null
}

/**
 * What deliveries say about a card. It follows from the newest states alone, so it is the same in whatever order they came.
 * An address that people wrote stays, and chooses the pull request.
 */
export function deriveDelivered({ pr_url, written_url, pulls, last_sha }: Facts): Delivered {
  const isPinned = pr_url !== null && pr_url !== written_url
  const shown = isPinned ? pulls.find(({ url }) => url === pr_url) : pulls[0]
  if (shown) {
    const { number, url, state, head_sha, merged_sha, merged_at } = shown
    const change: Change = {
      pr_number: number,
      pr_url: url,
      pr_state: state,
      merged_at: state === 'merged' ? merged_at : null,
      commit_sha: merged_sha ?? head_sha,
    }
    return { change, written_url: isPinned ? null : url }
  }
  const commit: Change = last_sha === null ? {} : { commit_sha: last_sha }
  if (isPinned || pr_url === null) return { change: commit, written_url: null }
  const gone: Change = { pr_number: null, pr_url: null, pr_state: null, merged_at: null }
  return { change: { ...commit, ...gone }, written_url: null }
}
