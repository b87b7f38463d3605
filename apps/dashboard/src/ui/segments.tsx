import { Link, type LinkProps } from '@tanstack/react-router'
import { classNames } from './class-names.ts'

interface SegmentsProps {
  /** What is chosen here. */
  readonly label: string
  readonly items: readonly {
    readonly word: string
    readonly search: LinkProps['search']
    readonly isChosen: boolean
    /** How many there are, if that is worth saying. */
    readonly count?: string | undefined
  }[]
}

/** One of a few views of the same list; the choice is in the address. */
export function Segments({ label, items }: SegmentsProps) {
  return (
    <nav aria-label={label} className="mb-3 inline-flex rounded-control bg-sunken p-0.5">
      {items.map(({ word, search, isChosen, count }) => (
        <Link
          key={word}
          to="."
          search={search ?? {}}
          replace
          aria-current={isChosen || undefined}
          className={classNames(
            'flex h-6.5 items-center rounded-[5px] px-2.5 text-meta pointer-coarse:h-9',
            isChosen ? 'bg-surface font-medium text-ink shadow-card' : 'text-ink-2 hover:text-ink',
          )}
        >
          {word}
          {count !== undefined && <span className="ml-1">{count}</span>}
        </Link>
      ))}
    </nav>
  )
}
