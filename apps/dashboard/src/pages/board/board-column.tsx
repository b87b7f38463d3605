import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { WorkingCard } from '@crewhall/contracts/boards/working-now.ts'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Plus } from 'lucide-react'
import { memo, useEffect, useRef, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CardStatusIcon } from '../../ui/status.tsx'
import type { ShownColumn } from '../../work/columns.ts'
import { useDropColumn } from './dragging.tsx'
import type { Pick } from './picking.ts'
import { TilePlace } from './tile-place.tsx'

export interface TileFacts {
  readonly working: ReadonlyMap<string, WorkingCard>
  /** The reference of the first open blocker on this board. */
  readonly afterOf: (card: StandardCard) => string
}

interface BoardColumnProps extends TileFacts {
  readonly shown: ShownColumn
  readonly selectedId: string | undefined
  /** Changes whenever the selected card is to be scrolled to and focused. */
  readonly focusTurn: number
  readonly canWrite: boolean
  readonly onAdd: (column: string) => void
  readonly liftedId: string | undefined
  readonly onSpace: (card: StandardCard) => void
  readonly pickedIds: ReadonlySet<string>
  readonly onPick: Pick
}

const usualHeight = 98
const gap = 9

/** One column; only those of its cards exist that are near what is seen. */
export const BoardColumn = memo(function BoardColumn({
  shown,
  selectedId,
  focusTurn,
  canWrite,
  onAdd,
  liftedId,
  onSpace,
  pickedIds,
  onPick,
  working,
  afterOf,
}: BoardColumnProps) {
  const { column, cards, total } = shown
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const isNear = useNear(scroller)
  const setDropPlace = useDropColumn(column.id)
  const selected = cards.findIndex(({ id }) => id === selectedId)
  const rows = useVirtualizer({
    count: cards.length,
    getScrollElement: () => scroller,
    estimateSize: () => usualHeight,
    getItemKey: (index) => cards[index]?.id ?? index,
    gap,
    overscan: 3,
    paddingEnd: 16,
    paddingStart: 1,
  })
  useFocus(selected, focusTurn, scroller, rows.scrollToIndex)
  return (
    <section
      aria-label={column.name}
      data-column={column.id}
      className="flex min-h-0 w-full shrink-0 grow snap-start flex-col md:w-56 md:min-w-56 md:shrink md:basis-0 md:snap-align-none"
    >
      <h2 className="hidden h-9 shrink-0 items-center gap-2 pr-0.5 pl-1 font-medium md:flex">
        <CardStatusIcon status={column.status} label={false} />
        <span className="truncate">{column.name}</span>
        <span
          className={classNames(
            'font-normal',
            column.wip_limit !== null && total > column.wip_limit ? 'text-warn' : 'text-ink-2',
          )}
        >
          {countText(shown)}
        </span>
        {canWrite && (
          <IconButton
            label={`New card in ${column.name}`}
            className="ml-auto size-6!"
            onClick={() => onAdd(column.id)}
          >
            <Plus size={15} strokeWidth={1.75} aria-hidden />
          </IconButton>
        )}
      </h2>
      <div
        ref={(element) => {
          setScroller(element)
          setDropPlace(element)
        }}
        data-scroller
        className="relative min-h-0 grow overflow-y-auto overflow-x-hidden px-3 pt-3 [scrollbar-width:none] md:px-px md:pt-0"
      >
        <ul className="relative" style={{ height: rows.getTotalSize() }}>
          {isNear &&
            rows.getVirtualItems().map(({ key, index, start }) => {
              const card = cards[index]
              return (
                card && (
                  <TilePlace
                    key={key}
                    card={card}
                    index={index}
                    start={start}
                    measure={rows.measureElement}
                    working={working.get(card.id)}
                    after={afterOf(card)}
                    isSelected={card.id === selectedId}
                    isFirst={index === 0 && selectedId === undefined}
                    isLifted={card.id === liftedId}
                    canWrite={canWrite}
                    onSpace={onSpace}
                    isPicked={pickedIds.has(card.id)}
                    onPick={onPick}
                  />
                )
              )
            })}
        </ul>
      </div>
    </section>
  )
})

export const countText = ({ column, cards, total }: ShownColumn): string => {
  const count = cards.length === total ? String(total) : `${cards.length} of ${total}`
  return column.wip_limit === null || cards.length !== total ? count : `${count} of ${column.wip_limit}`
}

/** Columns that are far to the side have no tiles. */
function useNear(element: HTMLElement | null): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    if (!element) return
    const watcher = new IntersectionObserver(
      (entries) => setNear(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: '0px 40px' },
    )
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [element])
  return isNear
}

/** Scrolls to the selected card and focuses it, when it was chosen by a key or has been moved. */
function useFocus(
  index: number,
  turn: number,
  scroller: HTMLElement | null,
  scrollTo: (index: number, options: { align: 'auto' }) => void,
): void {
  const at = useRef({ index, turn: 0 })
  at.current.index = index
  const isHere = index >= 0
  useEffect(() => {
    const { index, turn: before } = at.current
    at.current.turn = turn
    // A card that came from another column has left its focus there.
    const isLost = document.activeElement === document.body && turn > 0
    if (!isHere || !scroller || (turn === before && !isLost)) return
    scroller.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    scrollTo(index, { align: 'auto' })
    // The tile may come into being by the scrolling.
    let tries = 10
    const focus = () => {
      const tile = scroller.querySelector<HTMLElement>('[data-selected] a')
      if (tile) tile.focus({ preventScroll: true })
      else if (tries-- > 0) requestAnimationFrame(focus)
    }
    requestAnimationFrame(focus)
  }, [turn, isHere, scroller, scrollTo])
}
