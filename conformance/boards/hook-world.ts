import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { type Answer, call, type Get } from '@crewhall/testkit/world/call.ts'
import { newFounder, type WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { BoardWorkspace } from './board-workspace.ts'

/** Hooks need an admin; its session has every scope. */
export class HookWorkspace extends BoardWorkspace {
  static override async open(server: WorldServer): Promise<HookWorkspace> {
    return new HookWorkspace(await newFounder(server))
  }
  override call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<Answer<Body>> {
    return call(this.server.get, this.owner, method, `${this.root}${path}`, body, headers)
  }
}

export interface Hook {
  readonly id: string
  readonly path: string
  readonly secret: string
  readonly service: string
  readonly url: string
  readonly old_secret_until: string | null
  readonly last_delivery: { event: string; result: string } | null
}
// biome-ignore lint/suspicious/noExplicitAny: payloads are changed at any depth
type Json = any

/** Made by hand from the public documentation of both hosts, with their fields and none of their examples. */
const recorded = (name: string): Json =>
  JSON.parse(readFileSync(new URL(`./deliveries/${name}.json`, import.meta.url), 'utf8'))

/** What a host sends: the event, its id and the body. */
export interface Delivery {
  readonly event: string
  readonly id: string
  readonly body: Json
}

export const urls = {
  github: 'https://github.com/Difference/Engine',
  gitlab: 'https://gitlab.example/difference/mills/engine',
} as const

export const ping = (): Delivery => ({ event: 'ping', id: randomUUID(), body: recorded('github-ping') })

export interface PullState {
  readonly number: number
  readonly title?: string
  readonly branch?: string
  readonly state?: 'draft' | 'open' | 'closed' | 'merged'
  readonly sha?: string
  readonly fork?: boolean
  /** Seconds after the first moment. */
  readonly at?: number
}
const start = Date.parse('2026-03-02T10:00:00Z')
const momentOf = (seconds: number): string =>
  `${new Date(start + seconds * 1000).toISOString().slice(0, 19)}Z`
const inGitLab = (moment: string): string => moment.replace('T', ' ').replace('Z', ' UTC')

export function pullRequest(state: PullState): Delivery {
  const body = recorded('github-pull-request')
  const { pull_request: pull } = body
  const { number, title = pull.title, branch = pull.head.ref, at = 0, sha = pull.head.sha } = state
  body.number = number
  pull.number = number
  pull.html_url = `${urls.github}/pull/${number}`
  pull.title = title
  pull.head.ref = branch
  pull.head.sha = sha
  if (state.fork) pull.head.repo.id = 999_111
  pull.created_at = momentOf(number)
  pull.updated_at = momentOf(at)
  pull.draft = state.state === 'draft'
  if (state.state === 'closed' || state.state === 'merged') pull.state = 'closed'
  if (state.state === 'merged') Object.assign(pull, { merged: true, merged_at: momentOf(at) })
  return { event: 'pull_request', id: randomUUID(), body }
}

export function mergeRequest(state: PullState): Delivery {
  const body = recorded('gitlab-merge-request')
  const { object_attributes: merge } = body
  const {
    number,
    title = merge.title,
    branch = merge.source_branch,
    at = 0,
    sha = merge.last_commit.id,
  } = state
  merge.iid = number
  merge.url = `${urls.gitlab}/-/merge_requests/${number}`
  merge.title = title
  merge.source_branch = branch
  merge.last_commit.id = sha
  if (state.fork) merge.source_project_id = 999_111
  merge.created_at = inGitLab(momentOf(number))
  merge.updated_at = inGitLab(momentOf(at))
  merge.draft = state.state === 'draft'
  if (state.state === 'closed' || state.state === 'merged') merge.state = state.state
  return { event: 'Merge Request Hook', id: randomUUID(), body }
}

export async function openHook(workspace: BoardWorkspace, more: object = {}): Promise<Hook> {
  const body = { service: 'github', url: urls.github, ...more }
  const made = await workspace.call<Hook>('POST', '/hooks', body)
  if (made.status !== 201) throw new Error(`no hook: ${made.status} ${JSON.stringify(made.body)}`)
  return made.body
}

export const hmac = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** As the host of the hook sends it, or with other headers. */
export async function deliver(
  get: Get,
  hook: Hook,
  { event, id, body }: Delivery,
  headers?: Record<string, string>,
): Promise<{ status: number; body: Json }> {
  const text = JSON.stringify(body)
  const signed =
    hook.service === 'github'
      ? { 'x-github-event': event, 'x-github-delivery': id, 'x-hub-signature-256': hmac(hook.secret, text) }
      : { 'x-gitlab-event': event, 'idempotency-key': id, 'x-gitlab-token': hook.secret }
  const init = {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'application/json', ...(headers ?? signed) },
  }
  const response = await get(hook.path, init)
  return { status: response.status, body: await response.json() }
}

interface PushState {
  readonly branch: string
  readonly before: string
  readonly after: string
  readonly message: string
  readonly at: number
}
export function push({ branch, before, after, message, at }: PushState): Delivery {
  const body = recorded('github-push')
  const timestamp = momentOf(at)
  Object.assign(body, { ref: `refs/heads/${branch}`, before, after })
  body.commits = [{ ...body.commits[0], id: after, message, timestamp }]
  body.head_commit = { id: after, message, timestamp }
  body.repository.pushed_at = Date.parse(timestamp) / 1000
  return { event: 'push', id: randomUUID(), body }
}

export function gitLabPush({ branch, before, after, message, at }: PushState): Delivery {
  const body = recorded('gitlab-push')
  Object.assign(body, { ref: `refs/heads/${branch}`, before, after, checkout_sha: after })
  body.commits = [{ ...body.commits[0], id: after, message, timestamp: momentOf(at) }]
  return { event: 'Push Hook', id: randomUUID(), body }
}

interface SuiteState {
  readonly sha: string
  readonly id: number
  readonly at: number
  readonly state: 'pending' | 'passed' | 'failed'
}
export function checkSuite({ sha, id, at, state }: SuiteState): Delivery {
  const body = recorded('github-check-suite')
  const isOver = state !== 'pending'
  Object.assign(body.check_suite, {
    id,
    head_sha: sha,
    status: isOver ? 'completed' : 'in_progress',
    conclusion: isOver ? (state === 'passed' ? 'success' : 'failure') : null,
    updated_at: momentOf(at),
  })
  return { event: 'check_suite', id: randomUUID(), body }
}

export function pipeline({ sha, id, at, state }: SuiteState): Delivery {
  const body = recorded('gitlab-pipeline')
  const isOver = state !== 'pending'
  const status = isOver ? (state === 'passed' ? 'success' : 'failed') : 'running'
  const times = { started_at: inGitLab(momentOf(at)), finished_at: isOver ? inGitLab(momentOf(at)) : null }
  const created_at = inGitLab(momentOf(0))
  Object.assign(body.object_attributes, { id, sha, status, created_at, finished_at: times.finished_at })
  Object.assign(body.builds[0], { status, created_at, ...times })
  return { event: 'Pipeline Hook', id: randomUUID(), body }
}

/** Until all that was taken has reached the cards. */
export const followed = ({ sql }: Pick<WorldServer, 'sql'>) =>
  waitFor(async () => {
    const [row] = await sql<{ count: number }>(
      `select count(*)::int as count from pgboss.job where name = 'boards.follow-delivery' and state < 'completed'`,
    )
    return row?.count === 0
  }, 60_000)
