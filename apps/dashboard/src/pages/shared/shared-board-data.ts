import type {
  GuestCardChange,
  SharedCard,
  SharedListedCard,
} from '@crewhall/contracts/boards/shared-cards.ts'
import { queryOptions, useMutation } from '@tanstack/react-query'
import { newAction } from '../../api/own-fetch.ts'
import { problemOf } from '../../api/problem.ts'
import { queries } from '../../app/queries.ts'
import { sharedApi, sharedMs } from '../../app/shared.ts'
import { sayFailed } from '../../ui/toast.tsx'

/** Boards that have more are shown in part, and say so. */
const mostPages = 20

export const sharedBoardQuery = (board_id: string) =>
  queryOptions({
    queryKey: ['shared-board', board_id],
    queryFn: async ({ signal }) =>
      (await sharedApi.reading(signal).boards.getSharedBoard({ params: { board_id } })).body,
    refetchInterval: sharedMs,
  })

export const sharedCardsQuery = (board_id: string) =>
  queryOptions({
    queryKey: ['shared-board', board_id, 'cards'],
    queryFn: async ({ signal }) => {
      const found: SharedListedCard[] = []
      let total = 0
      for (let page = 1; page === 1 || (found.length < total && page <= mostPages); page += 1) {
        const { body } = await sharedApi.reading(signal).boards.listSharedCards({
          params: { board_id },
          query: { detail: 'standard', per_page: '100', page: String(page) },
        })
        found.push(...body.items)
        total = body.total
        if (body.items.length === 0) break
      }
      return { cards: found, total }
    },
    // A board of many parts is asked for less often.
    refetchInterval: ({ state }) => ((state.data?.total ?? 0) > 100 ? 30_000 : sharedMs),
  })

export const sharedCardQuery = (board_id: string, task_id: string) =>
  queryOptions({
    queryKey: ['shared-board', board_id, 'card', task_id],
    queryFn: async ({ signal }) =>
      (await sharedApi.reading(signal).boards.getSharedCard({ params: { board_id, task_id } })).body,
    refetchInterval: sharedMs,
  })

export const sharedCommentsQuery = (board_id: string, task_id: string) =>
  queryOptions({
    queryKey: ['shared-board', board_id, 'card', task_id, 'comments'],
    queryFn: async ({ signal }) => {
      const read = async (page: number) =>
        (
          await sharedApi.reading(signal).boards.listSharedComments({
            params: { board_id, task_id },
            query: { per_page: '100', page: String(page) },
          })
        ).body
      const first = await read(1)
      // The newest are what people look for.
      const last = Math.ceil(first.total / 100)
      return last > 1 ? await read(last) : first
    },
    refetchInterval: sharedMs,
  })

export const readBoardAgain = (board_id: string) =>
  queries.invalidateQueries({ queryKey: ['shared-board', board_id] })

/** A change of the version that the guest has seen; of another one it is refused, and nothing is overwritten. */
export function useChangeShared(card: SharedCard) {
  const { board_id, ref, version } = card
  return useMutation({
    mutationFn: (change: GuestCardChange) =>
      sharedApi
        .acting(newAction({ if_match: `"${version}"` }))
        .boards.changeSharedCard({ params: { board_id, task_id: ref }, body: change }),
    onError: (error) =>
      sayFailed(
        problemOf(error).kind === 'conflict'
          ? `${ref} was changed by somebody else first`
          : `${ref} was not changed`,
        error,
      ),
    onSettled: () => readBoardAgain(board_id),
  })
}
