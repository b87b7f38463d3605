import * as boards from '@crewhall/contracts/boards/boards.ts'
import * as workingNow from '@crewhall/contracts/boards/working-now.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions } from '@tanstack/react-query'
import { apiOf } from '../api/api.ts'

/** What every page shows of boards: their list and who works on them. */
export const boardsApi = apiOf({ boards: routesIn(boards, workingNow) })

/** As many as one page of the API holds; who has more finds them by search. */
export const boardsQuery = queryOptions({
  queryKey: ['boards'],
  queryFn: async ({ signal }) =>
    (await boardsApi.reading(signal).boards.listBoards({ query: { per_page: '100' } })).body,
})

export const workingQuery = queryOptions({
  queryKey: ['working-now'],
  queryFn: async ({ signal }) =>
    (await boardsApi.reading(signal).boards.listWorkingNow({ query: { limit: '50' } })).body,
  // Leases end without an event.
  refetchInterval: 15_000,
})

export const boardQuery = (board_id: string) =>
  queryOptions({
    queryKey: ['board', board_id],
    queryFn: async ({ signal }) =>
      (await boardsApi.reading(signal).boards.getBoard({ params: { board_id } })).body,
  })
