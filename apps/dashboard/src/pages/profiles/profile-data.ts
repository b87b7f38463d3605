import * as builds from '@crewhall/contracts/profiles/build-settings.ts'
import type { Coder, CoderProfile, Tier } from '@crewhall/contracts/profiles/coder-profiles.ts'
import * as profiles from '@crewhall/contracts/profiles/coder-profiles.ts'
import * as coders from '@crewhall/contracts/profiles/coders.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import * as members from '@crewhall/contracts/workspaces/members.ts'
import { queryOptions } from '@tanstack/react-query'
import { apiOf } from '../../api/api.ts'
import { queries } from '../../app/queries.ts'

export const profilesApi = apiOf({
  profiles: routesIn(profiles, coders, builds),
  workspaces: routesIn(members),
})

// No event tells of profiles.
const everyMs = 15_000

export const profilesQuery = queryOptions({
  queryKey: ['profiles'],
  queryFn: async ({ signal }) =>
    (await profilesApi.reading(signal).profiles.listProfiles({ query: {} })).body,
  refetchInterval: everyMs,
})

export const codersQuery = queryOptions({
  queryKey: ['profiles', 'coders'],
  queryFn: async ({ signal }) => (await profilesApi.reading(signal).profiles.listCoders()).body,
  refetchInterval: everyMs,
})

export const historyQuery = (key: string, before: string | undefined) =>
  queryOptions({
    queryKey: ['profiles', key, 'history', before ?? ''],
    queryFn: async ({ signal }) =>
      (
        await profilesApi.reading(signal).profiles.listProfileChanges({
          params: { key },
          query: { limit: String(historySize), ...(before ? { before } : {}) },
        })
      ).body,
    refetchInterval: before === undefined ? everyMs : false,
  })
export const historySize = 10

/** Names of those who changed something; who has left is told by number. */
export const namesQuery = (brand_id: string) =>
  queryOptions({
    queryKey: ['members', brand_id, 'names'],
    queryFn: async ({ signal }) =>
      (
        await profilesApi
          .reading(signal)
          .workspaces.listMembers({ params: { brand_id }, query: { per_page: '100' } })
      ).body.members,
  })

export const readProfilesAgain = () => void queries.invalidateQueries({ queryKey: ['profiles'] })

export const coderWords: Readonly<Record<Coder, string>> = {
  claude_code: 'Claude',
  codex: 'Codex',
  openhands: 'OpenHands',
  opencode: 'OpenCode',
  pi: 'pi',
}
export const tierWords: Readonly<Record<Tier, string>> = {
  coding: 'Coding',
  docs: 'Docs',
  research: 'Research',
  design: 'Design',
  test: 'Test',
  hard: 'Hard',
}

export const isChanged = ({ sources }: CoderProfile): boolean => Object.values(sources).includes('brand')

/** How many turns or steps a build may take, and which of the two. */
export function guardOf({ limits }: Pick<CoderProfile, 'limits'>): string {
  if (limits.max_turns !== null) return `${limits.max_turns} turns`
  return limits.max_steps === null ? 'no guard' : `${limits.max_steps} steps`
}
