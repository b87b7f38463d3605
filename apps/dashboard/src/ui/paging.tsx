import { Link, type LinkProps } from '@tanstack/react-router'
import { buttonClass } from './button.tsx'

interface PagingProps {
  /** Of the first page, while another one is shown. */
  readonly first?: LinkProps['search'] | undefined
  readonly next?: LinkProps['search'] | undefined
  readonly words?: readonly [first: string, next: string]
}

/** One page at a time, in the address: the way back leads to the one before, and no list grows without end. */
export function Paging({ first, next, words = ['Newest', 'Older'] }: PagingProps) {
  if (!first && !next) return null
  return (
    <nav aria-label="Pages" className="mt-3 flex gap-2">
      {first && (
        <Link to="." search={first} className={buttonClass({})}>
          {words[0]}
        </Link>
      )}
      {next && (
        <Link to="." search={next} className={buttonClass({})}>
          {words[1]}
        </Link>
      )}
    </nav>
  )
}
