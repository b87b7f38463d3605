import * as activity from '@crewhall/contracts/boards/activity.ts'
import * as attachments from '@crewhall/contracts/boards/attachments.ts'
import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import * as checklists from '@crewhall/contracts/boards/checklists.ts'
import * as claims from '@crewhall/contracts/boards/claims.ts'
import * as comments from '@crewhall/contracts/boards/comments.ts'
import * as relations from '@crewhall/contracts/boards/relations.ts'
import * as runs from '@crewhall/contracts/boards/runs.ts'
import * as watchers from '@crewhall/contracts/boards/watchers.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { apiOf } from '../api/api.ts'
import { cardsApi } from './board-cards.ts'

export const cardPartsApi = apiOf({
  boards: routesIn(activity, attachments, checklists, claims, comments, relations, runs, watchers),
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

export const watchersQuery = (ref: string) =>
  queryOptions({
    queryKey: ['card', ref, 'watchers'],
    queryFn: async ({ signal }) =>
      (await api.reading(signal).boards.listWatchers({ params: { task_id: ref } })).body,
  })

/** Newest first. */
export const activityQuery = ({ board_id, id, ref }: FullCard) =>
  infiniteQueryOptions({
    queryKey: ['card', ref, 'activity'],
    queryFn: async ({ signal, pageParam }) =>
      (
        await api.reading(signal).boards.listActivity({
          params: { board_id },
          query: { limit: '50', task_id: id, before: pageParam },
        })
      ).body,
    initialPageParam: 'now',
    getNextPageParam: ({ older_cursor }) => older_cursor ?? undefined,
  })
