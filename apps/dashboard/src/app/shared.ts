import type { SharedBoardSummary } from '@crewhall/contracts/boards/shared.ts'
import * as sharedBoards from '@crewhall/contracts/boards/shared.ts'
import type { SharedSpace } from '@crewhall/contracts/docs-spaces/shared.ts'
import * as sharedSpaces from '@crewhall/contracts/docs-spaces/shared.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import type { GuestRole } from '@crewhall/contracts/workspaces/guests.ts'
import { queryOptions } from '@tanstack/react-query'
import { apiOf } from '../api/api.ts'

/** What other workspaces share with the person, by the routes for guests. */
export const sharedApi = apiOf({ boards: routesIn(sharedBoards), docs: routesIn(sharedSpaces) })

/** Guests have no stream: what is open is asked for again, which costs a 304 where nothing has changed. */
export const sharedMs = 4_000

interface Shared {
  readonly boards: readonly SharedBoardSummary[]
  readonly spaces: readonly SharedSpace[]
}

const partAfter = (after: string | undefined) =>
  after === undefined ? { limit: '100' } : { limit: '100', after }

export const sharedQuery = queryOptions({
  queryKey: ['shared'],
  queryFn: async ({ signal }): Promise<Shared> => {
    const [boards, spaces] = await Promise.all([listBoards(signal), listSpaces(signal)])
    return { boards, spaces }
  },
  refetchInterval: 15_000,
})

async function listBoards(signal: AbortSignal): Promise<readonly SharedBoardSummary[]> {
  const found: SharedBoardSummary[] = []
  let after: string | undefined
  do {
    const { body } = await sharedApi.reading(signal).boards.listSharedBoards({ query: partAfter(after) })
    found.push(...body.boards)
    after = body.next_after ?? undefined
  } while (after !== undefined)
  return found
}

async function listSpaces(signal: AbortSignal): Promise<readonly SharedSpace[]> {
  const found: SharedSpace[] = []
  let after: string | undefined
  do {
    const { body } = await sharedApi.reading(signal).docs.listShared({ query: partAfter(after) })
    found.push(...body.spaces)
    after = body.next_after ?? undefined
  } while (after !== undefined)
  return found
}

/** The role that the API tells is all that is known of a guest's rights; each word of it is in the contract of roles. */
export const mayWrite = (role: GuestRole): boolean => role === 'editor'
export const mayComment = (role: GuestRole): boolean => role !== 'viewer'
