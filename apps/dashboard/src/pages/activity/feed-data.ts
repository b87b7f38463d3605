import type { ActivityEntry } from '@crewhall/contracts/boards/activity.ts'
import * as activity from '@crewhall/contracts/boards/activity.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import {
  infiniteQueryOptions,
  type QueryFunctionContext,
  queryOptions,
  useInfiniteQuery,
  useQueries,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import { apiOf } from '../../api/api.ts'
import { queries } from '../../app/queries.ts'
import { type HeldFeed, mergeFeeds } from './merge-feeds.ts'

const api = apiOf({ boards: routesIn(activity) })

/** Feeds are of boards; so many are read at once. */
export const mostBoards = 20
const pageSize = 200

export interface FeedBoard {
  readonly id: string
  readonly key: string
  readonly name: string
}

export interface FeedEntry extends ActivityEntry {
  readonly board: FeedBoard
  /** The day of the reader, such as `2026-11-18`. Worked out once: there may be very many. */
  readonly day: string
}

export function dayOf(time: string | number): string {
  const date = new Date(time)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

const entryOf = (entry: ActivityEntry, board: FeedBoard): FeedEntry => ({
  ...entry,
  board,
  day: dayOf(entry.created_at),
})

type Asked = { readonly before: string } | { readonly since: string }
const readPage = async (board: FeedBoard, asked: Asked, limit: number, signal: AbortSignal) =>
  (
    await api
      .reading(signal)
      .boards.listActivity({ params: { board_id: board.id }, query: { limit: String(limit), ...asked } })
  ).body

type Held = HeldFeed<FeedEntry>
interface Older {
  readonly items: readonly FeedEntry[]
  readonly held: readonly Held[]
  /** Of the first page: from where each board is followed. */
  readonly starts: readonly (string | null)[]
}

/** From now on backwards. What was read stays as it is: nothing is ever changed in a feed. */
const olderQuery = (boards: readonly FeedBoard[]) =>
  infiniteQueryOptions({
    queryKey: ['activity', ...boards.map(({ id }) => id)],
    queryFn: ({ pageParam, signal }) => readOlder(boards, pageParam, signal),
    initialPageParam: boards.map((): Held => ({ entries: [], before: 'now' })) as readonly Held[],
    getNextPageParam: ({ held }: Older) =>
      held.some(({ before, entries }) => before !== null || entries.length > 0) ? held : undefined,
    staleTime: 'static',
    structuralSharing: false,
  })

async function readOlder(
  boards: readonly FeedBoard[],
  held: readonly Held[],
  signal: AbortSignal,
): Promise<Older> {
  const limit = boards.length === 1 ? pageSize : pageSize / 4
  const read = await Promise.all(
    boards.map(async (board, n) => {
      const { entries, before } = held[n] ?? { entries: [], before: null }
      if (entries.length > 0 || before === null) return { entries, before, start: null }
      const { items, older_cursor, next_cursor } = await readPage(board, { before }, limit, signal)
      return {
        entries: items.map((entry) => entryOf(entry, board)),
        before: older_cursor ?? null,
        start: next_cursor,
      }
    }),
  )
  const { items, rest } = mergeFeeds(read)
  return {
    items,
    held: read.map(({ before }, n) => ({ before, entries: rest[n] ?? [] })),
    starts: read.map(({ start }) => start),
  }
}

interface Newer {
  readonly entries: readonly FeedEntry[]
  /** Null while the board has no entry at all. */
  readonly cursor: string | null
}

/** What came after the page was opened. Below the board, so that its events ask for what came since. */
const newerQuery = (board: FeedBoard, start: string | null | undefined) => {
  const queryKey = ['board', board.id, 'newer', start] as const
  return queryOptions({
    queryKey,
    queryFn: ({ signal }: QueryFunctionContext): Promise<Newer> => {
      const { entries, cursor } = queries.getQueryData<Newer>(queryKey) ?? {
        entries: [],
        cursor: start ?? null,
      }
      return cursor === null ? readAll(board, signal) : readSince(board, { entries, cursor }, signal)
    },
    enabled: start !== undefined,
    structuralSharing: false,
  })
}

async function readSince(
  board: FeedBoard,
  { entries, cursor }: Newer & { readonly cursor: string },
  signal: AbortSignal,
): Promise<Newer> {
  for (;;) {
    const { items, next_cursor } = await readPage(board, { since: cursor }, pageSize, signal)
    entries = [...items.map((entry) => entryOf(entry, board)), ...entries]
    cursor = next_cursor ?? cursor
    if (items.length < pageSize) return { entries, cursor }
  }
}

/** Of a board that had no entry, and so no place to read on from. */
async function readAll(board: FeedBoard, signal: AbortSignal): Promise<Newer> {
  const entries: FeedEntry[] = []
  let cursor: string | null = null
  for (let before: string | null = 'now'; before !== null; ) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(board, { before }, pageSize, signal)
    entries.push(...page.items.map((entry) => entryOf(entry, board)))
    cursor ??= page.next_cursor
    before = page.older_cursor ?? null
  }
  return { entries, cursor }
}

/** The feeds of some boards as one, newest first. */
export function useFeed(boards: readonly FeedBoard[]) {
  const older = useInfiniteQuery(olderQuery(boards))
  const starts = older.data?.pages[0]?.starts
  const newer = useQueries({
    queries: boards.map((board, n) => newerQuery(board, starts?.[n])),
    combine: allNewer,
  })
  const entries = useMemo(
    () => older.data && [...newer, ...older.data.pages.flatMap(({ items }) => items)],
    [newer, older.data],
  )
  return { ...older, entries, fresh: newer.length }
}

const allNewer = (results: readonly { readonly data: Newer | undefined }[]): readonly FeedEntry[] =>
  mergeFeeds(results.map(({ data }) => ({ entries: data?.entries ?? [], before: null }))).items
