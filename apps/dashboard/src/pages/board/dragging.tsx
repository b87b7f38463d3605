import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import {
  DndContext,
  type DragEndEvent,
  DragOverlay,
  MouseSensor,
  pointerWithin,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { CardTile, tileClass } from '../../work/card-tile.tsx'
import type { ShownColumn } from '../../work/columns.ts'
import type { Target } from '../../work/move.ts'

// The only file that knows the library. Touch does not drag: a finger scrolls, and cards have a menu.

// One object: with another one, every tile would be drawn again.
const lateStart = { activationConstraint: { distance: 6 } }

interface DragBoardProps {
  readonly columns: readonly ShownColumn[]
  readonly onMove: (card: StandardCard, target: Target) => void
  readonly children: ReactNode
}

/** Cards can be dragged within it. What is under the pointer is read from the page: tiles that do not exist need no place. */
export function DragBoard({ columns, onMove, children }: DragBoardProps) {
  const sensors = useSensors(useSensor(MouseSensor, lateStart))
  const [dragged, setDragged] = useState<StandardCard>()
  const spot = useRef<DropSpot>(undefined)
  const end = ({ activatorEvent: _ }: DragEndEvent) => {
    const target = spot.current && dragged ? targetOf(columns, spot.current, dragged) : undefined
    if (dragged && target) onMove(dragged, target)
    setDragged(undefined)
  }
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={pointerWithin}
      accessibility={{ screenReaderInstructions: { draggable: '' }, announcements: silent }}
      onDragStart={({ active }) => setDragged(cardOf(columns, String(active.id)))}
      onDragEnd={end}
      onDragCancel={() => setDragged(undefined)}
    >
      {children}
      {dragged && <DropLine dragged={dragged.ref} at={spot} />}
      <DragOverlay dropAnimation={null} className="pointer-events-none">
        {dragged && (
          <div className={`${tileClass(false)} rotate-1 shadow-menu`}>
            <CardTile card={dragged} working={undefined} />
          </div>
        )}
      </DragOverlay>
    </DndContext>
  )
}

interface DropLineProps {
  readonly dragged: string
  /** Where the card would be dropped, for whoever drops it. */
  readonly at: RefObject<DropSpot | undefined>
}

/** Follows the pointer, and nothing else is drawn again while it does. */
function DropLine({ dragged, at }: DropLineProps) {
  const [spot, setSpot] = useState<DropSpot>()
  useEffect(() => {
    const follow = ({ clientX, clientY }: MouseEvent) => {
      at.current = dropSpotAt(clientX, clientY, dragged)
      setSpot(at.current)
    }
    addEventListener('mousemove', follow)
    return () => {
      removeEventListener('mousemove', follow)
      at.current = undefined
    }
  }, [dragged, at])
  return (
    spot && (
      <span
        aria-hidden
        className="pointer-events-none fixed z-20 h-0.5 rounded-full bg-live-mark"
        style={{ left: spot.left, top: spot.top, width: spot.width }}
      />
    )
  )
}

// Our own live region says what happens, in words of the board.
const silent = {
  onDragStart: () => undefined,
  onDragOver: () => undefined,
  onDragEnd: () => undefined,
  onDragCancel: () => undefined,
}

export function useDragTile(id: string, disabled: boolean) {
  const { setNodeRef, listeners, isDragging } = useDraggable({ id, disabled })
  return { setNodeRef, listeners, isDragging }
}

/** Lets a column scroll while something is dragged near its edge. */
export const useDropColumn = (id: string) => useDroppable({ id }).setNodeRef

interface DropSpot {
  readonly column: string
  /** The reference of the card below it; undefined at the end. */
  readonly before: string | undefined
  readonly left: number
  readonly top: number
  readonly width: number
}

function dropSpotAt(x: number, y: number, dragged: string): DropSpot | undefined {
  const section = document
    .elementsFromPoint(x, y)
    .map((element) => element.closest<HTMLElement>('[data-column]'))
    .find((found) => found !== null)
  const column = section?.dataset.column
  const list = section?.querySelector('[data-scroller]')
  if (!column || !list) return undefined
  const tiles = [...list.querySelectorAll<HTMLElement>('li[data-card]')]
    .filter(({ dataset }) => dataset.card !== dragged)
    .map((tile) => ({
      ref: tile.dataset.card,
      at: Number(tile.dataset.index),
      box: tile.getBoundingClientRect(),
    }))
    .sort((a, b) => a.at - b.at)
  const below = tiles.find(({ box }) => y < box.top + box.height / 2)
  const area = list.getBoundingClientRect()
  const last = tiles.at(-1)
  const top = below ? below.box.top - 6 : last ? last.box.bottom + 4 : area.top + 2
  return { column, before: below?.ref, left: area.left, width: area.width, top: Math.max(area.top, top) }
}

function targetOf(
  columns: readonly ShownColumn[],
  { column, before }: DropSpot,
  dragged: StandardCard,
): Target | undefined {
  const into = columns.find((each) => each.column.id === column)
  if (!into) return undefined
  const others = into.cards.filter(({ id }) => id !== dragged.id)
  const found = others.findIndex(({ ref }) => ref === before)
  const at = before === undefined || found < 0 ? others.length : found
  const isSame = dragged.column.id === column && into.cards[at]?.id === dragged.id
  return isSame ? undefined : { column: into.column, above: others[at - 1], below: others[at] }
}

const cardOf = (columns: readonly ShownColumn[], id: string): StandardCard | undefined =>
  columns.flatMap(({ cards }) => cards).find((card) => card.id === id)
