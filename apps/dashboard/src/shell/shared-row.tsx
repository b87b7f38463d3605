import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Share2 } from 'lucide-react'
import { paths } from '../app/paths.ts'
import { sharedQuery } from '../app/shared.ts'
import { activeClass, rowClass } from './row-looks.ts'

/** For members of a workspace who are guests of others. */
export function SharedRow() {
  const { data } = useQuery({ ...sharedQuery, refetchInterval: 60_000 })
  if (!data || data.boards.length + data.spaces.length === 0) return null
  return (
    <Link
      to={paths.shared}
      className={`${rowClass} mt-3`}
      activeProps={{ className: activeClass }}
      activeOptions={{ includeSearch: false }}
    >
      <Share2 size={15} strokeWidth={1.75} className="shrink-0" aria-hidden />
      <span className="truncate font-[450]">Shared with you</span>
    </Link>
  )
}
