import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { GitBranch } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useKeys } from '../shell/keys.ts'
import { classNames } from '../ui/class-names.ts'
import { CardStatusIcon } from '../ui/status.tsx'
import { usePhone } from '../ui/use-wide.ts'
import { useSpan, WindowedTable } from '../ui/windowed-table.tsx'
import type { FoundCard } from './found-cards.ts'
import { InlineText } from './inline-text.tsx'
import { Face } from './who.tsx'
import { PullRequest } from './words.tsx'

export type FoundRow =
  | { readonly kind: 'group'; readonly name: string; readonly content: ReactNode }
  /** Without a card while it is being read. */
  | { readonly kind: 'card'; readonly card: FoundCard | undefined; readonly note?: ReactNode }

interface FoundTableProps {
  readonly label: string
  readonly count: number
  readonly rowAt: (index: number) => FoundRow
  /** Which rows are in sight. */
  readonly onSee?: (from: number, to: number) => void
  /** The last column, for the notes of rows; without it, the delivery. */
  readonly noteName?: string
  /** Something stands beside the table: the delivery is left out. */
  readonly isNarrow?: boolean
}

const cell = 'overflow-hidden px-2 text-ellipsis whitespace-nowrap'

/** Cards of several boards as rows: of one line, or of two on a phone. */
export function FoundTable(props: FoundTableProps) {
  const height = usePhone() ? 56 : 38
  return <Rows key={height} height={height} {...props} />
}

/** Only those rows exist that are near what is seen. */
function Rows({
  label,
  count,
  rowAt,
  onSee,
  noteName,
  isNarrow = false,
  height,
}: FoundTableProps & { readonly height: number }) {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const list = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: (index) => (rowAt(index).kind === 'group' ? 32 : height),
    overscan: 10,
  })
  const items = list.getVirtualItems()
  const span = useSpan(6)
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => onSee?.(from, to), [from, to, onSee])
  const at = useRowKeys(count, rowAt, (index) => {
    list.scrollToIndex(index, { align: 'auto' })
    requestAnimationFrame(() =>
      scroller?.querySelector<HTMLElement>('[data-selected] a')?.focus({ preventScroll: true }),
    )
  })
  const [above, below] = [items[0]?.start ?? 0, list.getTotalSize() - (items.at(-1)?.end ?? 0)]
  return (
    <WindowedTable
      label={label}
      rowCount={count}
      scrollerRef={setScroller}
      above={above}
      below={below}
      columns={[
        { name: 'Card', width: 'w-28', from: 'md', look: 'pl-4!' },
        { name: 'Title' },
        { name: 'Board', width: isNarrow ? 'w-32' : 'w-40', from: 'md' },
        { name: 'Column', width: 'w-36', from: 'lg' },
        { name: 'Assignee', width: 'w-40', from: 'md' },
        ...(isNarrow
          ? []
          : [
              {
                name: noteName ?? 'Delivery',
                width: 'w-56',
                from: noteName === undefined ? ('xl' as const) : ('md' as const),
                look: 'pr-4!',
              },
            ]),
      ]}
    >
      {items.map(({ index, key }) => {
        const row = rowAt(index)
        return row.kind === 'group' ? (
          <tr key={key} className="h-8 bg-canvas">
            <th colSpan={span} scope="rowgroup" className="border-line border-b px-4 text-left font-medium">
              <span className="flex items-center gap-2">{row.content}</span>
            </th>
          </tr>
        ) : (
          <CardRow
            key={key}
            card={row.card}
            note={row.note}
            last={isNarrow ? 'none' : noteName === undefined ? 'delivery' : 'note'}
            isSelected={index === at}
          />
        )
      })}
    </WindowedTable>
  )
}

/** Up and down over rows with a card; the row that the keys are at. */
function useRowKeys(
  count: number,
  rowAt: (index: number) => FoundRow,
  show: (index: number) => void,
): number {
  const [at, setAt] = useState(-1)
  const step = (by: number) => () => {
    for (let index = at + by; index >= 0 && index < count; index += by) {
      if (rowAt(index).kind === 'group') continue
      setAt(index)
      show(index)
      return
    }
  }
  useKeys({ j: step(1), ArrowDown: step(1), k: step(-1), ArrowUp: step(-1) })
  return at
}

interface CardRowProps {
  readonly card: FoundCard | undefined
  readonly note: ReactNode
  readonly last: 'delivery' | 'note' | 'none'
  readonly isSelected: boolean
}

function CardRow({ card, note, last, isSelected }: CardRowProps) {
  const span = useSpan(6)
  if (!card)
    return (
      <tr aria-hidden className="h-14 *:border-line *:border-b md:h-[38px]">
        <td colSpan={span} className="px-4">
          <span className="block h-2 w-1/3 animate-skeleton rounded-tag bg-idle-bg" />
        </td>
      </tr>
    )
  const { ref, title, board, status, column, assignee } = card
  return (
    <tr
      data-card={ref}
      data-selected={isSelected || undefined}
      className={classNames(
        'relative h-14 *:border-line *:border-b md:h-[38px]',
        isSelected ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <td className={classNames(cell, 'hidden pl-4! font-mono text-ink-2 text-micro md:table-cell')}>
        {ref}
      </td>
      <td className={classNames(cell, 'max-md:px-4')}>
        <Link
          to="."
          search={(before) => ({ ...before, card: ref })}
          preload={false}
          title={title}
          className="block truncate font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:-outline-offset-2"
          dir="auto"
        >
          <InlineText text={title} />
        </Link>
        <span className="flex items-center gap-1.5 truncate text-ink-2 text-meta md:hidden">
          <CardStatusIcon status={status} />
          <span className="font-mono text-micro">{ref}</span>
          <span className="min-w-0 truncate">{note ?? `${column.name}, ${assignee?.name ?? 'nobody'}`}</span>
        </span>
      </td>
      <td className={classNames(cell, 'hidden text-ink-2 md:table-cell')} title={board}>
        {board}
      </td>
      <td className={classNames(cell, 'hidden lg:table-cell')}>
        <span className="flex items-center gap-2">
          <CardStatusIcon status={status} />
          <span className="truncate">{column.name}</span>
        </span>
      </td>
      <td className={classNames(cell, 'hidden md:table-cell')}>
        {assignee ? (
          <span className="flex items-center gap-2">
            <Face who={assignee} />
            <span className="truncate">{assignee.name}</span>
          </span>
        ) : (
          <span className="text-ink-2">Nobody</span>
        )}
      </td>
      {last !== 'none' && (
        <td className={classNames(cell, 'hidden pr-4!', last === 'note' ? 'md:table-cell' : 'xl:table-cell')}>
          {note ?? <Delivered card={card} />}
        </td>
      )}
    </tr>
  )
}

function Delivered({ card }: { readonly card: FoundCard }) {
  if (card.pr_number === null && card.branch === null) return <span className="text-ink-2">–</span>
  return (
    <span className="flex items-center gap-2 text-meta">
      {card.pr_number === null ? (
        <GitBranch size={13} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
      ) : (
        <PullRequest number={card.pr_number} state={card.pr_state} />
      )}
      <span className="truncate font-mono text-ink-2 text-micro">{card.branch}</span>
    </span>
  )
}
