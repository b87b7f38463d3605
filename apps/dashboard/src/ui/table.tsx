import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { ErrorState, SkeletonRows } from './states.tsx'

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  /** A class; columns without one share what is left. */
  readonly width?: string
  /** The narrowest window that has room for it; what it says has to stand in another cell below that. */
  readonly from?: keyof typeof shownFrom
  /** For figures and times. */
  readonly atEnd?: boolean
  /** Buttons or a menu: the name is for screen readers only. */
  readonly hasActions?: boolean
  /** The cell names its row. */
  readonly isRowHead?: boolean
  readonly look?: string
  /** What the cell leaves out or cuts. */
  readonly title?: (row: Row) => string | undefined
}

export interface Reading {
  /** What could not be shown, such as "The boards". */
  readonly what: string
  readonly error: unknown
  readonly refetch: () => unknown
}

interface TableProps<Row> {
  readonly columns: readonly Column<Row>[]
  /** None while they are being read for the first time. */
  readonly rows: readonly Row[] | undefined
  readonly keyOf: (row: Row) => string | number
  /** Why there are none, and what to do. */
  readonly empty?: ReactNode
  /** Left out where the rows are known to be there. */
  readonly read?: Reading
  /** How many rows to sketch while they are being read. */
  readonly expected?: number
  /** Lines of a row. */
  readonly lines?: 1 | 2
  /** A link or button of the row lies over all of it, with `after:absolute after:inset-0`. */
  readonly isLinked?: boolean
  readonly isOpen?: (row: Row) => boolean
  /** On phones each row is a card, one cell below the other, instead of the columns that fit. */
  readonly phoneCards?: boolean
  /** For lists that explain themselves. */
  readonly withoutHead?: boolean
  readonly className?: string | undefined
}

export const shownFrom = {
  md: 'hidden md:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
} as const

/** One list: its frame stays the same while rows are read, when there are none, and when they cannot be read. */
export function Table<Row>({ className, ...list }: TableProps<Row>) {
  return (
    <Frame className={className}>
      <Content {...list} />
    </Frame>
  )
}

interface FrameProps {
  readonly children: ReactNode
  readonly className?: string | undefined
}

/** What a list stands in, and what stands there instead of it. */
export function Frame({ children, className }: FrameProps) {
  return (
    <div className={classNames('overflow-hidden rounded-card border border-line bg-surface', className)}>
      {children}
    </div>
  )
}

function Content<Row>(list: Omit<TableProps<Row>, 'className'>) {
  const { columns, rows, empty, read, expected, phoneCards, withoutHead } = list
  if (!rows && read?.error)
    return <ErrorState error={read.error} what={read.what} onRetry={() => void read.refetch()} />
  if (!rows) return <SkeletonRows rows={expected ?? 5} />
  if (rows.length === 0 && empty !== undefined) return empty
  return (
    <table className={classNames('w-full table-fixed', phoneCards && 'max-md:block')}>
      <thead className={classNames(withoutHead && 'sr-only', phoneCards && 'max-md:sr-only')}>
        <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
          {columns.map((column) => (
            <th key={column.name} className={headLook(column)}>
              {column.hasActions ? <span className="sr-only">{column.name}</span> : column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className={classNames('divide-y divide-line', phoneCards && 'max-md:block')}>
        {rows.map((row) => (
          <TableRow key={list.keyOf(row)} list={list} row={row} />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps<Row> {
  readonly list: Pick<
    TableProps<Row>,
    'columns' | 'lines' | 'isLinked' | 'isOpen' | 'phoneCards' | 'withoutHead'
  >
  readonly row: Row
}

function TableRow<Row>({ list, row }: RowProps<Row>) {
  const { columns, lines = 1, isLinked = false, isOpen, phoneCards = false, withoutHead } = list
  const isChosen = isOpen?.(row) === true
  return (
    <tr
      className={classNames(
        lines === 1 ? 'h-[var(--ch-row)]' : 'h-[var(--ch-row-2)]',
        isLinked && 'relative',
        isChosen ? 'bg-selected' : isLinked && 'hover:bg-hover',
        phoneCards && 'max-md:block max-md:h-auto max-md:px-4 max-md:py-2.5',
      )}
    >
      {columns.map((column) => {
        // Without a head the cells of the first row are what gives the columns their width.
        const look = classNames(withoutHead && column.width, cellLook(column, phoneCards))
        const title = column.title?.(row)
        return column.isRowHead ? (
          <th key={column.name} scope="row" className={look} title={title}>
            {column.cell(row)}
          </th>
        ) : (
          <td key={column.name} className={look} title={title}>
            {column.cell(row)}
          </td>
        )
      })}
    </tr>
  )
}

type Place = Pick<Column<never>, 'width' | 'from' | 'atEnd' | 'hasActions' | 'isRowHead' | 'look'>

const headLook = ({ width, from, atEnd, hasActions }: Place): string =>
  classNames(width, from && shownFrom[from], hasActions ? 'px-2' : 'px-4 font-medium', atEnd && 'text-right')

const cellLook = ({ from, atEnd, hasActions, isRowHead, look }: Place, isCard: boolean): string =>
  classNames(
    from && shownFrom[from],
    hasActions ? 'whitespace-nowrap px-2 text-right' : 'px-4 py-1.5',
    atEnd && 'text-right',
    isRowHead && 'text-left',
    isCard && 'max-md:w-auto max-md:px-0 max-md:py-0.5 max-md:text-left',
    isCard && from === undefined && 'max-md:block',
    look,
  )
