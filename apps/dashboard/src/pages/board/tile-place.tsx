import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { WorkingCard } from '@crewhall/contracts/boards/working-now.ts'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { PickBox } from '../../ui/pick-box.tsx'
import { CardTile, tileClass } from '../../work/card-tile.tsx'
import { useDragTile } from './dragging.tsx'
import type { Pick } from './picking.ts'

interface TilePlaceProps {
  readonly card: StandardCard
  readonly index: number
  /** In pixels below the top of the column. */
  readonly start: number
  readonly measure: (element: HTMLElement | null) => void
  readonly working: WorkingCard | undefined
  readonly after: string | undefined
  readonly isSelected: boolean
  /** Where the tab key enters a board on which nothing is selected. */
  readonly isFirst: boolean
  readonly isLifted: boolean
  readonly isPicked: boolean
  readonly onPick: Pick
  readonly canWrite: boolean
  /** Space was pressed on it: it is lifted, or dropped. */
  readonly onSpace: (card: StandardCard) => void
}

/** A card where it stands in its column. The whole tile is one link, to the card beside its board. */
export const TilePlace = memo(function TilePlace({ index, start, measure, ...tile }: TilePlaceProps) {
  const { card, isSelected, isPicked, onPick } = tile
  const drag = useDragTile(card.id, !tile.canWrite)
  return (
    <li
      ref={measure}
      data-index={index}
      data-card={card.ref}
      data-selected={isSelected || undefined}
      className="group absolute inset-x-0 top-0"
      style={{ transform: `translateY(${start}px)` }}
    >
      <TileLink {...drag} {...tile} />
      <PickBox
        label={`Select ${card.ref}`}
        checked={isPicked}
        className="absolute top-1.5 left-1.5"
        onChange={(isRange) => onPick(card, isRange ? 'range' : 'one')}
      />
    </li>
  )
})

type TileLinkProps = ReturnType<typeof useDragTile> & Omit<TilePlaceProps, 'index' | 'start' | 'measure'>

/** Apart from its place: while a card is dragged, all places hear of each column that it enters. */
const TileLink = memo(function TileLink({
  setNodeRef,
  listeners,
  isDragging,
  card,
  working,
  after,
  isSelected,
  isFirst,
  isLifted,
  isPicked,
  onPick,
  canWrite,
  onSpace,
}: TileLinkProps) {
  return (
    <Link
      ref={setNodeRef}
      {...listeners}
      onKeyDown={(event) => {
        if (event.key !== ' ' || !canWrite) return
        event.preventDefault()
        onSpace(card)
      }}
      onClick={(event) => {
        if (!event.shiftKey) return
        event.preventDefault()
        onPick(card, 'range')
      }}
      to="."
      search={(before) => ({ ...before, card: card.ref })}
      tabIndex={isSelected || isFirst ? 0 : -1}
      draggable={false}
      preload={false}
      className={`${tileClass(isSelected, isDragging)} ${isPicked ? 'bg-selected!' : ''} ${isLifted ? '-translate-y-0.5 shadow-menu!' : ''}`}
    >
      <CardTile card={card} working={working} after={after} />
    </Link>
  )
})
