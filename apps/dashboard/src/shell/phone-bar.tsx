import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Activity, Ellipsis, Inbox, Kanban, type LucideIcon } from 'lucide-react'
import { workingQuery } from '../app/boards.ts'
import { useKnownUnread } from '../app/inbox.ts'
import { paths } from '../app/paths.ts'

/** The sidebar of a phone. */
export function PhoneBar() {
  const working = useQuery(workingQuery).data?.items.length ?? 0
  const unread = useKnownUnread()
  return (
    <nav
      aria-label="Main"
      className="flex h-15 shrink-0 items-stretch border-line border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <Tab to={paths.inbox} icon={Inbox} label="Inbox" count={unread} tone="bg-bad" />
      <Tab to={paths.boards} icon={Kanban} label="Boards" />
      <Tab to={paths.now} icon={Activity} label="Now" count={working} />
      <Tab to={paths.more} icon={Ellipsis} label="More" />
    </nav>
  )
}

interface TabProps {
  readonly to: string
  readonly icon: LucideIcon
  readonly label: string
  readonly count?: number
  readonly tone?: string
}

function Tab({ to, icon: Icon, label, count = 0, tone = 'bg-live' }: TabProps) {
  return (
    <Link
      to={to}
      className="flex grow basis-0 flex-col items-center justify-center gap-1 text-ink-2 text-micro"
      activeProps={{ className: 'text-ink! font-medium' }}
    >
      <span className="relative">
        <Icon size={19} strokeWidth={1.75} aria-hidden />
        {count > 0 && (
          <span
            className={`absolute -top-1.5 left-3 min-w-4 rounded-full px-1 text-center font-medium text-[10px] text-surface leading-4 ${tone}`}
          >
            {count}
          </span>
        )}
      </span>
      {label}
    </Link>
  )
}
