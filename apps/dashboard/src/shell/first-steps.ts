import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { agentsQuery } from '../app/agents.ts'
import { boardQuery, boardsQuery } from '../app/boards.ts'
import { useFeatures } from '../app/features.ts'
import { useBrand } from '../app/session.ts'

export type FirstStep = 'board' | 'card' | 'desk' | 'agent' | 'move'

const hiddenKey = (brandId: string) => `crewhall.start-hidden.${brandId}`
const watchers = new Set<() => void>()

export function hideFirstSteps(brandId: string): void {
  localStorage.setItem(hiddenKey(brandId), 'true')
  for (const watcher of watchers) watcher()
}

/**
 * What a new workspace does first. Each step is done as soon as it is true, whoever did it. With a card that has moved, the
 * workspace is at work and the list is over, also without a desk of its own.
 */
export function useFirstSteps() {
  const { brand_id } = useBrand()
  const read = useQuery(boardsQuery)
  const boards = read.data
  const board = boards?.items[0]
  const { data: first, isError: isLost } = useQuery({
    ...boardQuery(board?.id ?? ''),
    enabled: board !== undefined,
  })
  const columns = first?.columns ?? []
  const isHidden = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => localStorage.getItem(hiddenKey(brand_id)) === 'true',
  )
  const hasMoved = columns.some(({ status, card_count }) => status !== 'pending' && card_count > 0)
  const isOpen = boards !== undefined && !isHidden && !hasMoved
  const { data: agents = [] } = useQuery({ ...agentsQuery, enabled: isOpen })
  const desks = useFeatures().data?.switches.machines.holds.machines ?? 0
  const cards = boards?.items.reduce((sum, { card_count }) => sum + card_count, 0) ?? 0
  const steps: readonly { readonly id: FirstStep; readonly isDone: boolean }[] = [
    { id: 'board', isDone: board !== undefined },
    { id: 'card', isDone: cards > 0 },
    { id: 'desk', isDone: desks > 0 },
    { id: 'agent', isDone: agents.length > 0 },
    { id: 'move', isDone: hasMoved },
  ]
  const done = steps.filter(({ isDone }) => isDone).length
  // A board whose columns are not read yet may have moved cards: nobody is sent to the first steps for a moment.
  const isKnown = boards !== undefined && (board === undefined || first !== undefined || isLost)
  return { steps, done, board: first ?? board, columns, isKnown, hasMoved, isShown: isKnown && isOpen, read }
}
