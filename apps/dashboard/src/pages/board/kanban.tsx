import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import { useEffect, useRef, useState } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { scrolling } from '../../ui/scrolling.ts'
import type { ShownColumn } from '../../work/columns.ts'
import { moveCard, type Target } from '../../work/move.ts'
import { BoardColumn, type TileFacts } from './board-column.tsx'
import { DragBoard } from './dragging.tsx'
import type { Pick } from './picking.ts'

interface KanbanProps extends TileFacts {
  readonly columns: readonly ShownColumn[]
  readonly selectedId: string | undefined
  readonly focusTurn: number
  readonly canWrite: boolean
  readonly onAdd: (column: string) => void
  readonly liftedId: string | undefined
  readonly onSpace: (card: StandardCard) => void
  readonly pickedIds: ReadonlySet<string>
  readonly onPick: Pick
}

const moveTo = (card: StandardCard, target: Target) => void moveCard(card, target)

/** Columns side by side; on a phone one at a time, chosen by tabs or by swiping. */
export function Kanban({ columns, ...rest }: KanbanProps) {
  const strip = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState(0)
  const show = (index: number) =>
    strip.current?.scrollTo({ left: index * strip.current.clientWidth, behavior: scrolling() })
  return (
    <>
      <ColumnTabs columns={columns} shown={shown} onShow={show} />
      <div
        ref={strip}
        data-strip
        onScroll={({ currentTarget: { scrollLeft, clientWidth } }) =>
          setShown(Math.round(scrollLeft / Math.max(1, clientWidth)))
        }
        className="flex min-h-0 grow snap-x snap-mandatory overflow-x-auto overflow-y-hidden [scrollbar-width:none] md:snap-none md:gap-2.5 md:px-5 md:[scrollbar-width:thin]"
      >
        <DragBoard columns={columns} onMove={moveTo}>
          {columns.map((column) => (
            <BoardColumn key={column.column.id} shown={column} {...rest} />
          ))}
        </DragBoard>
      </div>
    </>
  )
}

interface ColumnTabsProps {
  readonly columns: readonly ShownColumn[]
  readonly shown: number
  readonly onShow: (index: number) => void
}

function ColumnTabs({ columns, shown, onShow }: ColumnTabsProps) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = row.current?.children[shown]
    if (row.current && tab instanceof HTMLElement)
      row.current.scrollTo({ left: tab.offsetLeft - 48, behavior: scrolling() })
  }, [shown])
  return (
    <nav aria-label="Columns" className="shrink-0 border-line border-b md:hidden">
      <div ref={row} className="flex gap-5 overflow-x-auto px-4 [scrollbar-width:none]">
        {columns.map(({ column, cards }, index) => (
          <button
            key={column.id}
            type="button"
            aria-current={index === shown ? 'true' : undefined}
            onClick={() => onShow(index)}
            className={classNames(
              'flex h-11 shrink-0 items-center gap-2 border-b-2 font-medium',
              index === shown ? 'border-ink' : 'border-transparent text-ink-2',
            )}
          >
            {column.name}
            <span className="font-normal text-ink-2">{cards.length}</span>
          </button>
        ))}
      </div>
    </nav>
  )
}
