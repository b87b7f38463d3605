import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, Outlet, useLocation } from '@tanstack/react-router'
import { BookText, Search, Share2, Shield } from 'lucide-react'
import { type ReactNode, Suspense, useMemo, useState } from 'react'
import { problemOf } from '../api/problem.ts'
import { latePart } from '../app/late.tsx'
import { paths, sharedBoardHref, sharedSpaceHref } from '../app/paths.ts'
import { sharedMs, sharedQuery } from '../app/shared.ts'
import { AskedProvider } from '../live/live.tsx'
import type { LiveState } from '../live/live-connection.ts'
import { buttonClass, IconButton } from '../ui/button.tsx'
import { Logo } from '../ui/logo.tsx'
import { Page } from '../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../ui/states.tsx'
import { useKeys } from './keys.ts'
import { LiveMark } from './live-mark.tsx'
import { NoWorkspace } from './no-workspace.tsx'
import { OfflineLine } from './offline-line.tsx'
import { activeClass, rowClass } from './row-looks.ts'
import { GroupName } from './sidebar.tsx'
import { UserMenu } from './user-menu.tsx'

const GuestCommands = latePart(() =>
  import('./guest-commands.tsx').then(({ GuestCommands }) => GuestCommands),
)

/** Around every page for those who are in no workspace: what is shared with them, and nothing else. */
export function GuestShell() {
  const shared = useQuery({ ...sharedQuery, refetchInterval: sharedMs })
  const { pathname } = useLocation()
  const [isSearching, setSearching] = useState(false)
  const [wasSearched, setSearched] = useState(false)
  const search = () => {
    setSearched(true)
    setSearching(true)
  }
  useKeys({ 'mod+k': search, '/': search })
  const isLost = shared.error !== null && ['offline', 'outage'].includes(problemOf(shared.error).kind)
  const since = isLost ? shared.dataUpdatedAt : 0
  const state = useMemo<LiveState>(
    () => (isLost ? { kind: 'offline', since } : { kind: 'live' }),
    [isLost, since],
  )
  const isInside = pathname === paths.shared || pathname.startsWith(`${paths.shared}/`)
  if (!shared.data)
    return shared.error ? (
      <div className="flex min-h-dvh">
        <ErrorState
          error={shared.error}
          what="What is shared with you"
          onRetry={() => void shared.refetch()}
        />
      </div>
    ) : (
      <main className="pt-[var(--ch-topbar)]">
        <h1 className="sr-only">Shared with you</h1>
        <SkeletonRows />
      </main>
    )
  const { boards, spaces } = shared.data
  const isNothing = boards.length === 0 && spaces.length === 0
  if (isNothing && !isInside) return <NoWorkspace />
  if (pathname === paths.home) return <Navigate to={paths.shared} replace />
  return (
    <AskedProvider state={state}>
      <div className="flex h-dvh flex-col md:flex-row">
        <aside className="hidden w-[var(--ch-sidebar)] shrink-0 flex-col border-line border-r bg-canvas md:flex">
          <div className="flex h-[var(--ch-topbar)] shrink-0 items-center justify-between pr-2 pl-3.5">
            <Link to={paths.shared} className="flex items-center gap-2 font-semibold text-read">
              <Logo />
              Crewhall
            </Link>
            <SearchButton onClick={search} />
          </div>
          <nav aria-label="Main" className="flex min-h-0 grow flex-col gap-px overflow-y-auto px-2 pt-1 pb-4">
            <Row to={paths.shared} label="Shared with you" isExact>
              <Share2 size={15} strokeWidth={1.75} className="shrink-0" aria-hidden />
            </Row>
            {boards.length > 0 && <GroupName>Boards</GroupName>}
            {boards.map(({ id, key, name }) => (
              <Row key={id} to={sharedBoardHref(id)} label={name}>
                <span className="shrink-0 font-mono text-[10px] text-ink-2">{key}</span>
              </Row>
            ))}
            {spaces.length > 0 && <GroupName>Documents</GroupName>}
            {spaces.map(({ id, name }) => (
              <Row key={id} to={sharedSpaceHref(id)} label={name}>
                <BookText size={15} strokeWidth={1.75} className="shrink-0" aria-hidden />
              </Row>
            ))}
          </nav>
          <footer className="flex h-11 shrink-0 items-center justify-between gap-2 border-line border-t pr-3.5 pl-2.5">
            <UserMenu />
            <LiveMark />
          </footer>
        </aside>
        <div id="page" tabIndex={-1} className="flex min-h-0 min-w-0 grow flex-col outline-none">
          <OfflineLine />
          {isInside ? <Outlet /> : <OfWorkspace />}
        </div>
        <nav
          aria-label="Main"
          className="flex h-15 shrink-0 items-center justify-between gap-2 border-line border-t bg-surface px-4 pb-[env(safe-area-inset-bottom)] md:hidden"
        >
          <Link
            to={paths.shared}
            className="flex h-full items-center gap-2 text-ink-2"
            activeProps={{ className: 'text-ink! font-medium' }}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            <Share2 size={19} strokeWidth={1.75} aria-hidden />
            Shared
          </Link>
          <SearchButton onClick={search} />
          <UserMenu />
        </nav>
        {wasSearched && (
          <Suspense>
            <GuestCommands open={isSearching} onOpenChange={setSearching} />
          </Suspense>
        )}
      </div>
    </AskedProvider>
  )
}

function SearchButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <IconButton label="Search and commands" onClick={onClick}>
      <Search size={15} strokeWidth={1.75} aria-hidden />
    </IconButton>
  )
}

interface RowProps {
  readonly to: string
  readonly label: string
  readonly isExact?: boolean
  readonly children: ReactNode
}

function Row({ to, label, isExact = false, children }: RowProps) {
  return (
    <Link
      to={to}
      title={label}
      className={rowClass}
      activeProps={{ className: activeClass }}
      activeOptions={{ exact: isExact, includeSearch: false }}
    >
      {children}
      <span className="truncate font-[450]" dir="auto">
        {label}
      </span>
    </Link>
  )
}

/** A direct link to a page that guests do not have. */
function OfWorkspace() {
  return (
    <Page title="For members">
      <State
        icon={Shield}
        title="This page is for members of a workspace"
        action={
          <Link to={paths.shared} className={buttonClass({ look: 'primary' })}>
            Show what is shared with you
          </Link>
        }
      >
        You are a guest: you see the boards and documents that somebody shares with you. An admin of the
        workspace can make you a member.
      </State>
    </Page>
  )
}
