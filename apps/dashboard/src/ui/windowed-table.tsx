import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { type Column, shownFrom } from './table.tsx'
import { usePhone } from './use-wide.ts'

interface HeadColumn extends Pick<Column<never>, 'name' | 'width' | 'from' | 'atEnd' | 'look'> {
  /** Before the name. */
  readonly mark?: ReactNode
}

interface WindowedProps {
  readonly label: string
  readonly rowCount: number
  readonly columns: readonly HeadColumn[]
  readonly scrollerRef: (element: HTMLDivElement | null) => void
  /** The heights of the rows that are too far away to exist. */
  readonly above: number
  readonly below: number
  readonly children: ReactNode
}

/** Of a row that is one cell. A phone has one column, and a cell over more would give each of them an equal part. */
export const useSpan = (columns: number): number => (usePhone() ? 1 : columns)

/** A table that scrolls by itself below its head, for lists whose rows exist only near what is seen. */
export function WindowedTable({
  label,
  rowCount,
  columns,
  scrollerRef,
  above,
  below,
  children,
}: WindowedProps) {
  const span = useSpan(columns.length)
  return (
    <div ref={scrollerRef} className="min-h-0 grow overflow-auto px-4 pb-5 max-md:pt-3 md:px-5">
      <table
        aria-label={label}
        aria-rowcount={rowCount}
        className="w-full table-fixed border-separate border-spacing-0 rounded-card border border-line bg-surface"
      >
        <thead className="sticky top-0 z-10 max-md:sr-only">
          <tr className="h-8.5 text-left text-ink-2 text-meta *:border-line *:border-b *:bg-surface *:px-2 *:font-medium first:*:rounded-tl-card last:*:rounded-tr-card">
            {columns.map(({ name, width, from, atEnd, look, mark }) => (
              <th
                key={name}
                className={classNames(width, from && shownFrom[from], atEnd && 'text-right', look)}
              >
                {mark}
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Space height={above} span={span} />}
          {children}
          {below > 0 && <Space height={below} span={span} />}
        </tbody>
      </table>
    </div>
  )
}

function Space({ height, span }: { readonly height: number; readonly span: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={span} style={{ height }} />
    </tr>
  )
}
