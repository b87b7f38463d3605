import * as activity from '@crewhall/contracts/boards/activity.ts'
import * as attachments from '@crewhall/contracts/boards/attachments.ts'
import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { CardChange } from '@crewhall/contracts/boards/cards.ts'
import * as checklists from '@crewhall/contracts/boards/checklists.ts'
import * as claims from '@crewhall/contracts/boards/claims.ts'
import * as comments from '@crewhall/contracts/boards/comments.ts'
import * as relations from '@crewhall/contracts/boards/relations.ts'
import * as runs from '@crewhall/contracts/boards/runs.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions, useMutation } from '@tanstack/react-query'
import { apiOf } from '../api/api.ts'
import { newAction } from '../api/own-fetch.ts'
import { problemOf } from '../api/problem.ts'
import { queries } from '../app/queries.ts'
import { sayFailed } from '../ui/toast.tsx'
import { cardsApi, readAgain } from './board-cards.ts'

export const cardPartsApi = apiOf({
  boards: routesIn(activity, attachments, checklists, claims, comments, relations, runs),
})
const api = cardPartsApi

// All below the reference: an event of the card reads again what is shown of it.
export const cardQuery = (ref: string) =>
  queryOptions({
    queryKey: ['card', ref],
    queryFn: async ({ signal }) =>
      (await cardsApi.reading(signal).boards.getCard({ params: { task_id: ref } })).body,
  })

export const runsQuery = (ref: string) =>
  queryOptions({
    queryKey: ['card', ref, 'runs'],
    queryFn: async ({ signal }) =>
      (
        await api
          .reading(signal)
          .boards.listRuns({ params: { task_id: ref }, query: { per_page: '50', include: 'knew' } })
      ).body,
  })

export const commentsQuery = (ref: string) =>
  queryOptions({
    queryKey: ['card', ref, 'comments'],
    queryFn: async ({ signal }) => {
      const read = (page: number) =>
        api.reading(signal).boards.listComments({
          params: { task_id: ref },
          query: { per_page: '100', page: String(page) },
        })
      const first = (await read(1)).body
      // The newest are what people look for.
      const last = Math.ceil(first.total / 100)
      return last > 1 ? (await read(last)).body : first
    },
  })

export const relationsQuery = (ref: string) =>
  queryOptions({
    queryKey: ['card', ref, 'relations'],
    queryFn: async ({ signal }) =>
      (await api.reading(signal).boards.listRelations({ params: { task_id: ref } })).body.items,
  })

export const checklistQuery = (ref: string) =>
  queryOptions({
    queryKey: ['card', ref, 'checklist'],
    queryFn: async ({ signal }) =>
      (await api.reading(signal).boards.listChecklist({ params: { task_id: ref } })).body.items,
  })

export const attachmentsQuery = (ref: string) =>
  queryOptions({
    queryKey: ['card', ref, 'attachments'],
    queryFn: async ({ signal }) =>
      (await api.reading(signal).boards.listAttachments({ params: { task_id: ref } })).body.items,
  })

/** The feed is of the whole board: what is older than its newest entries is not shown here. */
export const activityLimit = 200
export const activityQuery = ({ board_id, id, ref }: FullCard) =>
  queryOptions({
    queryKey: ['card', ref, 'activity'],
    queryFn: async ({ signal }) => {
      const { items } = (
        await api
          .reading(signal)
          .boards.listActivity({ params: { board_id }, query: { limit: String(activityLimit) } })
      ).body
      return items.filter(({ task_id }) => task_id === id)
    },
  })

/** Something that a person does to a card; then what is shown of it is read again. */
export function useCardAction<Input>(
  card: FullCard,
  { what, run }: { readonly what: string; readonly run: (input: Input) => Promise<unknown> },
) {
  return useMutation({
    mutationFn: run,
    onError: (error) => sayFailed(what, error),
    onSettled: () => readCardAgain(card),
  })
}

async function readCardAgain({ ref, id, board_id }: FullCard): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['card', ref] }),
    readAgain(board_id, id).catch(() => {}),
    queries.invalidateQueries({ queryKey: ['working-now'] }),
  ])
}

/** A change of the version that the person has seen; of another one it is refused, and nothing is overwritten. */
export function useChangeCard(card: FullCard) {
  return useMutation({
    mutationFn: async (change: CardChange) => {
      const { body } = await cardsApi.acting(newAction({ if_match: `"${card.version}"` })).boards.changeCard({
        params: { task_id: card.ref },
        query: { return: 'full' },
        body: change,
      })
      return body
    },
    onSuccess: (changed) => {
      if ('ref' in changed) queries.setQueryData(cardQuery(card.ref).queryKey, changed)
    },
    onError: (error) => {
      const isConflict = problemOf(error).kind === 'conflict'
      sayFailed(
        isConflict ? `${card.ref} was changed by somebody else first` : `${card.ref} was not changed`,
        error,
      )
    },
    onSettled: () => readCardAgain(card),
  })
}
