import type { GitHubPullRequest, GitLabMergeRequest } from '@crewhall/contracts/boards/hook-payloads.ts'
import { refsIn } from './refs.rules.ts'
import { ordered, type ToldPull } from './states.rules.ts'

export type GitHubPull = ReturnType<typeof GitHubPullRequest.parse>['pull_request']
export type GitLabMerge = ReturnType<typeof GitLabMergeRequest.parse>['object_attributes']

const ranks = { draft: 0, open: 1, closed: 2, merged: 3 } as const

export function gitHubPull(pull: GitHubPull, remote_id: number): ToldPull {
  const isMerged = pull.merged === true || typeof pull.merged_at === 'string'
  const open = pull.draft ? 'draft' : 'open'
  const state = isMerged ? 'merged' : pull.state === 'closed' ? 'closed' : open
  const told = {
    number: pull.number,
    url: pull.html_url,
    state,
    branch: pull.head.ref,
    is_fork: pull.head.repo?.id !== remote_id,
    head_sha: pull.head.sha,
    merged_sha: isMerged ? (pull.merge_commit_sha ?? null) : null,
    merged_at: isMerged ? (pull.merged_at ?? pull.updated_at) : null,
    opened_at: pull.created_at,
    refs: refsIn(pull.title, pull.head.ref),
    changed_at: pull.updated_at,
  } as const
  return ordered(told, ranks[state])
}

export function gitLabPull(merge: GitLabMerge): ToldPull {
  const isMerged = merge.state === 'merged'
  const open = (merge.draft ?? merge.work_in_progress) ? 'draft' : 'open'
  const state = isMerged ? 'merged' : merge.state === 'closed' ? 'closed' : open
  const told = {
    number: merge.iid,
    url: merge.url,
    state,
    branch: merge.source_branch,
    is_fork: merge.source_project_id !== merge.target_project_id,
    head_sha: merge.last_commit.id,
    merged_sha: isMerged ? (merge.merge_commit_sha ?? null) : null,
    // Not every version says when; the first time that it is said to be merged is kept.
    merged_at: isMerged ? (merge.merged_at ?? merge.updated_at) : null,
    opened_at: merge.created_at,
    refs: refsIn(merge.title, merge.source_branch),
    changed_at: merge.updated_at,
  } as const
  return ordered(told, ranks[state])
}
