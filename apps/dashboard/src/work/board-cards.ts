import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import * as cards from '@crewhall/contracts/boards/cards.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { apiOf } from '../api/api.ts'
import { problemOf } from '../api/problem.ts'
import { queries } from '../app/queries.ts'
import { useLiveEvents } from '../live/live.tsx'
import type { LiveEvent } from '../live/live-tabs.ts'

export const cardsApi = apiOf({ boards: routesIn(cards) })

/** All cards of a board as far as they are read, by id. Kanban, table and panel show parts of it. */
export interface BoardCards {
  readonly cards: ReadonlyMap<string, StandardCard>
  /** There are no others: neither unread ones nor more than are kept. */
  readonly is_whole: boolean
}

/** Boards that have more are shown in part, and say so. */
export const mostCards = 5000
const pageSize = 100
/** Pages after which a board that is read for the first time shows what it has so far. */
const pagesAtOnce = 4
const gatherMs = 60
/** So many changed cards are read one by one; with more, the board is read as a whole. */
const mostSingle = 20

// Not below `board`: every event reads those again, and a whole board is too much for that.
const keyOf = (board_id: string) => ['board-cards', board_id] as const

const boardCardsQuery = (board_id: string) =>
  queryOptions({
    queryKey: keyOf(board_id),
    queryFn: ({ signal }) => readAll(board_id, signal),
    staleTime: 60_000,
    structuralSharing: false,
  })

async function readAll(board_id: string, signal: AbortSignal): Promise<BoardCards> {
  const isFirst = queries.getQueryData(keyOf(board_id)) === undefined
  const found = new Map<string, StandardCard>()
  let cursor: string | null = 'start'
  for (let page = 0; cursor !== null && found.size < mostCards; page += 1) {
    const { body } = await cardsApi.reading(signal).boards.listCards({
      params: { board_id },
      query: { detail: 'standard', per_page: String(pageSize), cursor },
    })
    // In this detail, the lists have every field of it.
    for (const card of body.items as readonly StandardCard[]) found.set(card.id, card)
    cursor = body.next_cursor ?? null
    if (isFirst && cursor !== null && page % pagesAtOnce === 0)
      queries.setQueryData(keyOf(board_id), { cards: new Map(found), is_whole: false })
  }
  return { cards: found, is_whole: cursor === null }
}

/** Changes what is known of a board at once, before the server has said anything. */
export function changeKnown(board_id: string, change: (cards: Map<string, StandardCard>) => void): void {
  queries.setQueryData<BoardCards>(keyOf(board_id), (known) => {
    if (!known) return known
    const cards = new Map(known.cards)
    change(cards)
    return { ...known, cards }
  })
}

/** Reads one card again, after an event or a write. */
export async function readAgain(board_id: string, task_id: string): Promise<StandardCard | undefined> {
  try {
    const { body: card } = await cardsApi.reading().boards.getCard({ params: { task_id } })
    const isGone = card.archived_at !== null || card.board_id !== board_id
    changeKnown(board_id, (cards) => {
      if (isGone) cards.delete(card.id)
      else if (card.version >= (cards.get(card.id)?.version ?? 0)) cards.set(card.id, card)
    })
    return card
  } catch (error) {
    if (problemOf(error).kind !== 'missing') throw error
    changeKnown(board_id, (cards) => cards.delete(task_id))
    return undefined
  }
}

/** Reads the cards of a board and keeps them as the stream tells. */
export function useBoardCards(board_id: string) {
  const query = useQuery(boardCardsQuery(board_id))
  const waiting = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isWhole = useRef(false)
  const flush = () => {
    timer.current = undefined
    // What is being read now may be older than the event.
    if (query.isFetching) {
      timer.current = setTimeout(flush, gatherMs)
      return
    }
    const ids = [...waiting.current]
    waiting.current.clear()
    if (isWhole.current || ids.length > mostSingle)
      void queries.invalidateQueries({ queryKey: keyOf(board_id) })
    else for (const id of ids) void readAgain(board_id, id).catch(() => {})
    isWhole.current = false
  }
  const latest = useRef(flush)
  latest.current = flush
  useLiveEvents((event) => {
    if (event.board_id !== board_id) return
    const touched = touchedCards(event)
    if (touched === 'all') isWhole.current = true
    else for (const id of touched) waiting.current.add(id)
    if (touched.length > 0) timer.current ??= setTimeout(() => latest.current(), gatherMs)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return query
}

/** What a running run says is told by the list of who works now. */
const quiet = new Set(['run.updated', 'label.created', 'board.updated'])

function touchedCards({ type, data }: LiveEvent): readonly string[] | 'all' {
  if (quiet.has(type)) return []
  if (typeof data.task_id === 'string') return [data.task_id]
  return type.startsWith('task.') || /^(column|label|import|cycle)\./.test(type) ? 'all' : []
}
