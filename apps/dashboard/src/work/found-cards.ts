import type { CardStatus } from '@crewhall/contracts/boards/card-fields.ts'
import * as master from '@crewhall/contracts/boards/master.ts'
import * as search from '@crewhall/contracts/boards/search.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf } from '../api/api.ts'
import type { CardFilters } from './filters.ts'

const api = apiOf({ boards: routesIn(master, search) })

/** What the address of a list over boards says: the filters of a board, and which boards and states. */
export interface FoundFilters extends CardFilters {
  /** Keys of boards. */
  readonly board?: string
  readonly status?: string
  readonly sort?: string
}

/** Parameters of a search as the API names them; all but pages. */
export type FoundQuery = Readonly<Record<string, string>>

export interface BoardName {
  readonly id: string
  readonly key: string
}

const listOf = (text: string): readonly string[] => text.split(',').filter((part) => part !== '')

/** The address in the words of the API. A board that is not known is left to the API to refuse. */
export function queryOf(filters: FoundFilters, boards: readonly BoardName[]): FoundQuery {
  const { q, assignee, type, priority, label, board, status, sort } = filters
  const ids =
    board === undefined ? [] : listOf(board).map((key) => boards.find((each) => each.key === key)?.id ?? key)
  return {
    ...(q && { q }),
    ...(assignee && { assignee }),
    ...(type && { task_type: type }),
    ...(priority && { priority }),
    ...(label && { label }),
    ...(status && { status }),
    ...(sort && { sort }),
    ...(ids.length > 0 && { board_ids: ids.join(',') }),
  }
}

export interface FoundCard {
  readonly ref: string
  readonly title: string
  readonly board: string
  readonly status: CardStatus
  readonly column: { readonly name: string }
  readonly assignee: search.FoundCard['assignee']
  readonly pr_number: number | null
  readonly pr_state: search.FoundCard['pr_state']
  readonly branch: string | null
}

const pageSize = 100

/** `all`: most recently changed first. `search`: by relevance. Either may be sorted otherwise. */
type Source = 'all' | 'search'

/** One page of the cards of all boards. */
export const foundPageQuery = (query: FoundQuery, page: number, source: Source = 'all') =>
  queryOptions({
    queryKey: ['found-cards', source, JSON.stringify(query), page],
    queryFn: async ({ signal }) => {
      const { boards } = api.reading(signal)
      const paged = { ...query, page: String(page), per_page: String(pageSize) }
      const { body } =
        source === 'all'
          ? await boards.listMasterCards({ query: { ...paged, detail: 'summary' } })
          : await boards.searchCards({ query: paged })
      // In this detail, items have every field of a summary.
      return { items: body.items as readonly FoundCard[], total: body.total }
    },
  })

export const facetsQuery = (query: FoundQuery) =>
  queryOptions({
    queryKey: ['found-cards', 'facets', JSON.stringify(query)],
    queryFn: async ({ signal }) => {
      const count_by = 'status,board,label,assignee,priority,task_type'
      const { body } = await api
        .reading(signal)
        .boards.searchCards({ query: { ...query, count_by, per_page: '1' } })
      return body.facets ?? {}
    },
  })

/** The pages that are looked at, and no others: a list of 10,000 cards reads those that somebody scrolls to. */
export function useFoundPages(query: FoundQuery, source: Source = 'all') {
  const [{ first, last }, setSeen] = useState({ first: 1, last: 1 })
  const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const pages = useQueries({ queries: numbers.map((page) => foundPageQuery(query, page, source)) })
  const known = new Map(pages.map(({ data }, at) => [numbers[at], data?.items] as const))
  const see = (from: number, to: number) => {
    const next = { first: Math.floor(from / pageSize) + 1, last: Math.floor(to / pageSize) + 1 }
    if (next.first !== first || next.last !== last) setSeen(next)
  }
  return {
    total: pages.find(({ data }) => data)?.data?.total,
    error: pages.find(({ error, data }) => error && !data)?.error,
    /** Undefined while its page is being read. */
    cardAt: (index: number): FoundCard | undefined =>
      known.get(Math.floor(index / pageSize) + 1)?.[index % pageSize],
    see,
    refetch: () => {
      for (const page of pages) void page.refetch()
    },
  }
}
