import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { latePart } from '../app/late.tsx'
import { paths } from '../app/paths.ts'
import { meQuery } from '../app/session.ts'
import { LiveProvider } from '../live/live.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { useFirstSteps } from './first-steps.ts'
import { KeyHelp } from './key-help.tsx'
import { type Keys, useKeys } from './keys.ts'
import { OfflineLine } from './offline-line.tsx'
import { PhoneBar } from './phone-bar.tsx'
import { Sidebar, useDestinations } from './sidebar.tsx'
import { ToSignIn } from './to-sign-in.tsx'

const GuestShell = latePart(() => import('./guest-shell.tsx').then(({ GuestShell }) => GuestShell))
const CommandMenu = latePart(() => import('./command-menu.tsx').then(({ CommandMenu }) => CommandMenu))

/** Around every page for those who are signed in. */
export function Shell() {
  const me = useQuery(meQuery)
  // Who is known stays: a session that cannot be asked for now has not ended.
  if (me.isError && me.data === undefined)
    return (
      <div className="flex min-h-dvh">
        <ErrorState error={me.error} what="Your session" onRetry={() => void me.refetch()} />
      </div>
    )
  if (me.data === undefined) return null
  if (me.data === null) return <ToSignIn />
  const { person, brand_id } = me.data
  if (brand_id === null)
    return (
      <Suspense>
        <GuestShell />
      </Suspense>
    )
  const scope = `${person.id}.${brand_id}`
  return (
    <LiveProvider key={scope} scope={scope}>
      <Frame />
    </LiveProvider>
  )
}

function Frame() {
  const [isSearching, setSearching] = useState(false)
  const [wasSearched, setSearched] = useState(false)
  const [isHelping, setHelping] = useState(false)
  const navigate = useNavigate()
  const pages = useDestinations()
  const search = () => {
    setSearched(true)
    setSearching(true)
  }
  const going = pages.flatMap(({ key, to }) =>
    key === undefined ? [] : [[`g ${key}`, () => void navigate({ to })] as const],
  )
  const keys: Keys = {
    'mod+k': search,
    '/': search,
    '?': () => setHelping(true),
    ...Object.fromEntries(going),
  }
  useKeys(keys)
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-control focus:bg-raised focus:px-3 focus:py-2 focus:shadow-menu"
      >
        Skip to the page
      </a>
      <Sidebar onSearch={search} onHelp={() => setHelping(true)} />
      <div id="page" tabIndex={-1} className="flex min-h-0 min-w-0 grow flex-col outline-none">
        <OfflineLine />
        <Outlet />
      </div>
      <PhoneBar />
      {wasSearched && (
        <Suspense>
          <CommandMenu open={isSearching} onOpenChange={setSearching} onHelp={() => setHelping(true)} />
        </Suspense>
      )}
      <KeyHelp open={isHelping} onOpenChange={setHelping} />
    </div>
  )
}

/** Where `/` leads: the first steps of a new workspace, or the boards. */
export function Home() {
  const { isKnown, isShown, read } = useFirstSteps()
  // The list of boards says what could not be read.
  if (isKnown || read.isError) return <Navigate to={isShown ? paths.start : paths.boards} replace />
  return (
    <main className="pt-[var(--ch-topbar)]">
      <h1 className="sr-only">Crewhall</h1>
      <SkeletonRows />
    </main>
  )
}
