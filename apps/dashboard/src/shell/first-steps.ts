import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { boardQuery, boardsQuery } from '../app/boards.ts'
import { useBrand } from '../app/session.ts'

const hiddenKey = (brandId: string) => `crewhall.start-hidden.${brandId}`
const watchers = new Set<() => void>()

export function hideFirstSteps(brandId: string): void {
  localStorage.setItem(hiddenKey(brandId), 'true')
  for (const watcher of watchers) watcher()
}

/** What a new workspace does first. Each step is done as soon as it is true, whoever did it. */
export function useFirstSteps() {
  const { brand_id } = useBrand()
  const boards = useQuery(boardsQuery).data
  const board = boards?.items[0]
  const columns =
    useQuery({ ...boardQuery(board?.id ?? ''), enabled: board !== undefined }).data?.columns ?? []
  const isHidden = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => localStorage.getItem(hiddenKey(brand_id)) === 'true',
  )
  const cards = boards?.items.reduce((sum, { card_count }) => sum + card_count, 0) ?? 0
  const steps = [
    { id: 'board', isDone: board !== undefined },
    { id: 'card', isDone: cards > 0 },
    { id: 'move', isDone: columns.some(({ status, card_count }) => status !== 'pending' && card_count > 0) },
  ] as const
  const done = steps.filter(({ isDone }) => isDone).length
  const isKnown = boards !== undefined
  return { steps, done, board, isKnown, isShown: isKnown && !isHidden && done < steps.length }
}
