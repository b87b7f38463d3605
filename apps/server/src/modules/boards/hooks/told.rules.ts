import * as payload from '@crewhall/contracts/boards/hook-payloads.ts'
import type { HookService } from '@crewhall/contracts/boards/hooks.ts'
import { type GitHubPull, type GitLabMerge, gitHubPull, gitLabPull } from './pulls.rules.ts'
import { pushOf } from './pushes.rules.ts'
import type { ToldPull, ToldPush, ToldRepository, ToldSuite } from './states.rules.ts'
import { gitHubSuite, gitLabSuite } from './suites.rules.ts'

export type Told =
  | { readonly kind: 'pong' }
  | { readonly kind: 'pull'; readonly pull: ToldPull }
  | { readonly kind: 'push'; readonly push: ToldPush }
  | { readonly kind: 'suite'; readonly suite: ToldSuite }

export interface Sent {
  readonly service: HookService
  readonly event: string
  readonly body: unknown
}

export function repositoryIn({ service, body }: Sent): ToldRepository | undefined {
  if (service === 'github') {
    const { data } = payload.InGitHub.safeParse(body)
    return data && repositoryOf(data.repository.id, data.repository.html_url, data.repository.default_branch)
  }
  const { data } = payload.InGitLab.safeParse(body)
  return data && repositoryOf(data.project.id, data.project.web_url, data.project.default_branch)
}

const repositoryOf = (
  remote_id: number,
  url: string,
  default_branch: string | null | undefined,
): ToldRepository => ({ remote_id, url, default_branch: default_branch ?? null })

/** By its id once that is known, which survives a new name; before, by its address. */
export const isSame = (
  hook: { readonly url: string; readonly remote_id: number | null },
  { remote_id, url }: ToldRepository,
): boolean => (hook.remote_id === null ? hook.url === url.toLowerCase() : hook.remote_id === remote_id)

export const isPing = ({ service, event }: Sent): boolean => service === 'github' && event === 'ping'

type Reader = (body: unknown, repository: ToldRepository) => Told | undefined

/** By the name of the event. */
const readers: Readonly<Record<HookService, Readonly<Record<string, Reader>>>> = {
  github: {
    pull_request(body, repository) {
      const { data } = payload.GitHubPullRequest.safeParse(body)
      return data && toldPull(gitHubPull(data.pull_request as GitHubPull, repository.remote_id), repository)
    },
    push(body) {
      const { data } = payload.GitHubPush.safeParse(body)
      return data && toldPush(pushOf(data, data.repository.pushed_at ?? undefined))
    },
    check_suite(body) {
      const { data } = payload.GitHubCheckSuite.safeParse(body)
      return data && { kind: 'suite', suite: gitHubSuite(data.check_suite) }
    },
  },
  gitlab: {
    'Merge Request Hook': (body, repository) => {
      const { data } = payload.GitLabMergeRequest.safeParse(body)
      return data && toldPull(gitLabPull(data.object_attributes as GitLabMerge), repository)
    },
    'Push Hook': (body) => {
      const { data } = payload.GitLabPush.safeParse(body)
      return data && toldPush(pushOf(data))
    },
    'Pipeline Hook': (body) => {
      const { data } = payload.GitLabPipeline.safeParse(body)
      const suite = data && gitLabSuite(data)
      return suite && { kind: 'suite', suite }
    },
  },
}

/** What a delivery says; undefined for what says nothing about cards, or not in the form that is expected. */
export function toldBy({ service, event, body }: Sent, repository: ToldRepository): Told | undefined {
  const known = readers[service]
  return Object.hasOwn(known, event) ? known[event]?.(body, repository) : undefined
}

/** An address that leads elsewhere is none of this repository. */
const toldPull = (pull: ToldPull, { url }: ToldRepository): Told | undefined =>
  pull.url.startsWith(`${url}/`) ? { kind: 'pull', pull } : undefined

const toldPush = (push: ToldPush | undefined): Told | undefined => push && { kind: 'push', push }
