import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { type ReactNode, Suspense, useCallback, useMemo, useState } from 'react'
import { problemOf } from '../../api/problem.ts'
import { boardsQuery } from '../../app/boards.ts'
import { latePart } from '../../app/late.tsx'
import { paths } from '../../app/paths.ts'
import { dayTold, useNow } from '../../app/times.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { LiveRegion } from '../../ui/live-region.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, RequestId, SkeletonRows, State } from '../../ui/states.tsx'
import { ActivityFilterRow, entryMatcher, type FeedFilters, useChangeFeed } from './activity-filters.tsx'
import { type FeedBoard, mostBoards, useFeed } from './feed-data.ts'
import { FeedList } from './feed-list.tsx'
import { rowsOf } from './feed-rows.ts'

const CardPanel = latePart(() => import('../card/card-panel.tsx').then(({ CardPanel }) => CardPanel))

/** What people and agents did on the boards, newest first. */
export function ActivityPage() {
  const { board, actor, action } = useSearch({ strict: false })
  const filters: FeedFilters = { ...(board && { board }), ...(actor && { actor }), ...(action && { action }) }
  const boards = useQuery(boardsQuery)
  return (
    <Page title="Activity">
      {boards.error && !boards.data ? (
        <ErrorState error={boards.error} what="The boards" onRetry={() => void boards.refetch()} />
      ) : boards.data ? (
        <Boards filters={filters} boards={boards.data.items} />
      ) : (
        <SkeletonRows />
      )}
      <Suspense>
        <CardPanel order={[]} onClosed={() => {}} />
      </Suspense>
      <LiveRegion />
    </Page>
  )
}

interface BoardsProps {
  readonly filters: FeedFilters
  readonly boards: readonly FeedBoard[]
}

function Boards({ filters, boards }: BoardsProps) {
  const chosen = boards.filter(({ key }) => filters.board === undefined || key === filters.board)
  const shown = chosen.slice(0, mostBoards)
  if (boards.length === 0)
    return (
      <State
        icon={Activity}
        title="Nothing has happened yet"
        action={
          <Link to={paths.boards} className={buttonClass({ look: 'primary' })}>
            Go to the boards
          </Link>
        }
        command="crewhall board activity"
      >
        What people and agents do on boards stands here, newest first.
      </State>
    )
  return (
    <>
      <ActivityFilterRow
        filters={filters}
        boards={boards}
        sentence={
          shown.length < chosen.length
            ? `${shown.length} of ${chosen.length} boards: choose one to see it`
            : ''
        }
      />
      {shown.length === 0 ? (
        <NoMatch>No board has the key {filters.board}.</NoMatch>
      ) : (
        // Another selection is another list, from its top.
        <Feed
          key={`${shown.map(({ id }) => id)} ${filters.actor} ${filters.action}`}
          filters={filters}
          boards={shown}
        />
      )}
    </>
  )
}

function NoMatch({ children }: { readonly children: ReactNode }) {
  const change = useChangeFeed()
  return (
    <State
      icon={Activity}
      title="No entry matches"
      action={<Button onClick={() => change({})}>Clear filters</Button>}
    >
      {children}
    </State>
  )
}

/** Where a filter finds nothing, so many entries are looked through before the reader is asked. */
const lookedAtOnce = 2000

function Feed({ filters, boards }: BoardsProps) {
  const feed = useFeed(boards)
  const { entries, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = feed
  const [turns, setTurns] = useState(1)
  const now = useNow()
  const { actor, action } = filters
  const matches = useMemo(() => entryMatcher(actor, action), [actor, action])
  const shown = useMemo(() => (matches ? entries?.filter(matches) : entries) ?? [], [entries, matches])
  const rows = useMemo(() => rowsOf(shown), [shown])
  const lastShown = shown.at(-1)
  const quiet =
    entries === undefined || matches === undefined
      ? 0
      : entries.length - 1 - (lastShown ? entries.lastIndexOf(lastShown) : -1)
  const isPaused = quiet >= turns * lookedAtOnce
  const isStopped = isPaused || isFetchingNextPage || feed.isFetchNextPageError || !hasNextPage
  // Another function after each page: one without a match leaves the rows as they are, and the next has to follow.
  const onEnd = useCallback(() => {
    if (!isStopped) void fetchNextPage()
  }, [isStopped, fetchNextPage])

  if (error && !entries)
    return <ErrorState error={error} what="The activity" onRetry={() => void refetch()} />
  if (!entries) return <SkeletonRows />
  if (shown.length === 0 && !hasNextPage)
    return matches ? (
      <NoMatch>None of {countOf(entries.length)} has what the filters ask for.</NoMatch>
    ) : (
      <State icon={Activity} title="Nothing has happened here yet" command="crewhall board activity">
        What people and agents do on this board stands here, newest first.
      </State>
    )
  const oldest = entries.at(-1)
  return (
    <FeedList
      rows={rows}
      onEnd={onEnd}
      end={
        <End>
          {feed.isFetchNextPageError ? (
            <OlderFailed error={error} onRetry={() => void fetchNextPage()} />
          ) : isPaused && hasNextPage ? (
            <>
              Looked through {countOf(entries.length)}
              {oldest && `, back to ${dayTold(oldest.created_at, now)}`}.
              <Button size="s" onClick={() => setTurns((before) => before + 1)}>
                Look further back
              </Button>
            </>
          ) : hasNextPage ? (
            'Reading older entries'
          ) : (
            'Nothing older is kept.'
          )}
        </End>
      }
    />
  )
}

const countOf = (count: number): string =>
  count === 1 ? '1 entry' : `${count.toLocaleString('en-US')} entries`

function End({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex h-full flex-wrap content-center items-center justify-center gap-x-3 gap-y-1 px-4 text-center text-ink-2 text-meta">
      {children}
    </div>
  )
}

function OlderFailed({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { text, request_id } = problemOf(error)
  return (
    <>
      <span>Older entries could not be loaded. {text}</span>
      <Button size="s" onClick={onRetry}>
        Try again
      </Button>
      {request_id !== undefined && <RequestId id={request_id} />}
    </>
  )
}
