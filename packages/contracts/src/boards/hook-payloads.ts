import { z } from 'zod'

// What GitHub and GitLab send, as far as it is read. Everything else in it is ignored.

const Sha = z.string().regex(/^[0-9a-f]{40,64}$/)
const Id = z.int().min(1)
const Number32 = z.int().min(1).max(2_147_483_647)
const Branch = z.string().min(1).max(255)
const Title = z.string().transform((text) => text.slice(0, 2000))
const Url = z.string().max(1000)

/** ISO 8601, or as older versions of GitLab write it: `2026-01-31 09:30:00 UTC`. */
const When = z
  .string()
  .max(40)
  .transform((text) =>
    Date.parse(text.replace(/^(\S+) (\S+) UTC$/, '$1T$2Z').replace(/^(\S+) (\S+) ([+-]\S+)$/, '$1T$2$3')),
  )
  .refine((time) => time >= 0 && time < 4_102_444_800_000)
  .transform((time) => new Date(time).toISOString())

const GitHubRepository = z.looseObject({ id: Id, html_url: Url, default_branch: Branch.nullish() })
export const InGitHub = z.looseObject({ repository: GitHubRepository })
export const GitHubPullRequest = z.looseObject({
  pull_request: z.looseObject({
    number: Number32,
    html_url: Url,
    title: Title,
    state: z.enum(['open', 'closed']),
    draft: z.boolean().nullish(),
    merged: z.boolean().nullish(),
    merged_at: When.nullish(),
    merge_commit_sha: Sha.nullish(),
    created_at: When,
    updated_at: When,
    head: z.looseObject({ ref: Branch, sha: Sha, repo: z.looseObject({ id: Id }).nullish() }),
  }),
})

const GitLabProject = z.looseObject({ id: Id, web_url: Url, default_branch: Branch.nullish() })
export const InGitLab = z.looseObject({ project: GitLabProject })
export const GitLabMergeRequest = z.looseObject({
  object_attributes: z.looseObject({
    iid: Number32,
    url: Url,
    title: Title,
    state: z.enum(['opened', 'closed', 'merged', 'locked']),
    draft: z.boolean().nullish(),
    work_in_progress: z.boolean().nullish(),
    merged_at: When.nullish(),
    merge_commit_sha: Sha.nullish(),
    created_at: When,
    updated_at: When,
    source_branch: Branch,
    source_project_id: Id.nullish(),
    target_project_id: Id,
    last_commit: z.looseObject({ id: Sha }),
  }),
})

/** Whatever has not the form of a commit is left out, not a reason to ignore the rest. */
const Commits = z
  .array(
    z
      .looseObject({ id: Sha, message: Title, timestamp: When.nullish().catch(undefined) })
      .nullable()
      .catch(null),
  )
  .catch([])
  .transform((commits) => commits.slice(0, 100).filter((commit) => commit !== null))
const push = { ref: z.string().max(300), before: Sha, after: Sha, commits: Commits }

/** In pushes, a number of seconds. */
const PushedAt = z
  .int()
  .min(0)
  .max(4_102_444_800)
  .transform((seconds) => new Date(seconds * 1000).toISOString())
export const GitHubPush = z.looseObject({
  ...push,
  repository: z.looseObject({ pushed_at: PushedAt.or(When).nullish().catch(undefined) }),
})
export const GitLabPush = z.looseObject(push)

export const GitHubCheckSuite = z.looseObject({
  check_suite: z.looseObject({
    id: Id,
    head_sha: Sha,
    status: z.string().max(100).nullish(),
    conclusion: z.string().max(100).nullish(),
    updated_at: When,
  }),
})

const Times = z.looseObject({
  created_at: When.nullish().catch(undefined),
  started_at: When.nullish().catch(undefined),
  finished_at: When.nullish().catch(undefined),
})
export const GitLabPipeline = z.looseObject({
  object_attributes: Times.extend({ id: Id, sha: Sha, status: z.string().max(100) }),
  builds: z.array(Times.nullable().catch(null)).max(1000).catch([]),
})
