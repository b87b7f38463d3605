import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ListChecks, type LucideIcon, Search } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { boardsQuery, workingQuery } from '../app/boards.ts'
import { useFeatures } from '../app/features.ts'
import { unreadQuery } from '../app/inbox.ts'
import { latePart } from '../app/late.tsx'
import { paths, toBoard } from '../app/paths.ts'
import { IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { BrandMenu } from './brand-menu.tsx'
import { useFirstSteps } from './first-steps.ts'
import { LiveMark } from './live-mark.tsx'
import { type Destination, destinations } from './navigation.ts'
import { activeClass, rowClass } from './row-looks.ts'
import { UserMenu } from './user-menu.tsx'
import { WorkingNow } from './working-now.tsx'

/** Known after the page is shown: the contracts of guests are no weight of the first load. */
const SharedRow = latePart(() => import('./shared-row.tsx').then(({ SharedRow }) => SharedRow))

interface SidebarProps {
  readonly onSearch: () => void
  readonly onHelp: () => void
}

export function Sidebar({ onSearch, onHelp }: SidebarProps) {
  const shown = useDestinations()
  const first = useFirstSteps()
  const of = (group: Destination['group']) => shown.filter((each) => each.group === group)
  return (
    <aside className="hidden w-[var(--ch-sidebar)] shrink-0 flex-col border-line border-r bg-canvas md:flex">
      <div className="flex h-[var(--ch-topbar)] shrink-0 items-center justify-between pr-2 pl-2">
        <BrandMenu />
        <IconButton label="Search and commands" onClick={onSearch}>
          <Search size={15} strokeWidth={1.75} aria-hidden />
        </IconButton>
      </div>
      <nav aria-label="Main" className="flex min-h-0 grow flex-col gap-px overflow-y-auto px-2 pt-1 pb-4">
        {first.isShown && (
          <Row to={paths.start} icon={ListChecks} label="Start">
            <span className="ml-auto rounded-full bg-idle-bg px-2 text-idle text-micro">
              {first.done} of {first.steps.length}
            </span>
          </Row>
        )}
        {of('work').map((each) => (
          <Row key={each.to} to={each.to} icon={each.icon} label={each.label}>
            {each.to === paths.inbox && <Unread />}
          </Row>
        ))}
        <BoardRows />
        <Suspense>
          <SharedRow />
        </Suspense>
        {of('crew').length > 0 && <GroupName>Crew</GroupName>}
        {of('crew').map((each) => (
          <Row key={each.to} to={each.to} icon={each.icon} label={each.label} />
        ))}
        <div className="h-3 shrink-0" />
        {of('end').map((each) => (
          <Row key={each.to} to={each.to} icon={each.icon} label={each.label} />
        ))}
      </nav>
      <WorkingNow />
      <footer className="flex h-11 shrink-0 items-center justify-between gap-2 border-line border-t pr-3.5 pl-2.5">
        <UserMenu onHelp={onHelp} />
        <LiveMark />
      </footer>
    </aside>
  )
}

/** Those whose feature is on, as far as that is known. */
export function useDestinations(): readonly Destination[] {
  const { data } = useFeatures()
  return destinations.filter(({ feature }) => feature === undefined || data?.switches[feature].on)
}

interface RowProps {
  readonly to: string
  readonly icon: LucideIcon
  readonly label: string
  readonly children?: ReactNode
}

function Row({ to, icon: Icon, label, children }: RowProps) {
  return (
    <Link
      to={to}
      className={rowClass}
      activeProps={{ className: activeClass }}
      activeOptions={{ exact: to === paths.boards, includeSearch: false }}
    >
      <Icon size={15} strokeWidth={1.75} className="shrink-0" aria-hidden />
      <span className="truncate font-[450]">{label}</span>
      {children}
    </Link>
  )
}

function Unread() {
  const { data: count = 0 } = useQuery(unreadQuery)
  if (count === 0) return null
  return (
    <span className="ml-auto min-w-5 rounded-full bg-idle-bg px-1.5 text-center text-idle text-micro">
      {count}
      <span className="sr-only"> unread</span>
    </span>
  )
}

export function GroupName({ children }: { readonly children: ReactNode }) {
  return <h2 className="mt-3 shrink-0 px-2 py-1 text-ink-3 text-meta">{children}</h2>
}

function BoardRows() {
  const { data } = useQuery(boardsQuery)
  const { data: working } = useQuery(workingQuery)
  const atWork = Map.groupBy(working?.items ?? [], ({ board_id }) => board_id)
  return (
    <>
      <GroupName>
        <Link
          to={paths.boards}
          className="rounded-tag hover:text-ink"
          activeProps={{ className: 'text-ink! font-medium' }}
          activeOptions={{ exact: true }}
        >
          Boards
        </Link>
      </GroupName>
      {data?.items.map(({ id, key, name }) => {
        const count = atWork.get(id)?.length ?? 0
        return (
          <Link
            key={id}
            {...toBoard(key)}
            className={classNames(rowClass, 'gap-2!')}
            activeProps={{ className: activeClass }}
            activeOptions={{ includeSearch: false }}
          >
            <span className="shrink-0 font-mono text-[10px] text-ink-2">{key}</span>
            <span className="truncate font-[450]">{name}</span>
            {count > 0 && (
              <span
                className="ml-auto flex items-center gap-1.5 text-live text-meta"
                title={`${count} at work`}
              >
                <span className="size-1.5 rounded-full bg-live-mark" aria-hidden />
                {count}
                <span className="sr-only"> at work</span>
              </span>
            )}
          </Link>
        )
      })}
    </>
  )
}
