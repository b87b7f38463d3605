import type { InboxEntry } from '@crewhall/contracts/inbox/inbox.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Check, Inbox, Mail } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { paths, toCard } from '../../app/paths.ts'
import { useCanWrite } from '../../live/live.tsx'
import { useKeys } from '../../shell/keys.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { LiveRegion } from '../../ui/live-region.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../../ui/states.tsx'
import { useWide } from '../../ui/use-wide.ts'
import { EntryDetail } from './entry-detail.tsx'
import { EntryList } from './entry-list.tsx'
import { isOfCard, refOf } from './entry-words.ts'
import { rowsOf } from './grouping.ts'
import { entriesQuery, type Shelf, shelfOf, shelves, useMark, useMarkAllRead } from './inbox-data.ts'
import { openSnooze } from './snooze-menu.tsx'

/** What needs the reader, with the entry that the address names beside it. */
export function InboxPage() {
  const { state, needs } = useSearch({ strict: false })
  const canWrite = useCanWrite()
  const markAll = useMarkAllRead()
  // Groups begin anew with another list, and when everything was marked.
  const [turn, setTurn] = useState(0)
  const shelf = shelfOf(state)
  return (
    <Page
      title="Inbox"
      actions={
        <>
          <Link
            to="."
            search={({ needs: _, entry: __, ...rest }) => ({
              ...rest,
              ...(needs ? {} : { needs: 'true' as const }),
            })}
            aria-current={needs ? 'true' : undefined}
            className={classNames(
              buttonClass({ look: 'quiet' }),
              'hidden! md:inline-flex!',
              needs && 'bg-selected! text-ink!',
            )}
          >
            {needs && <Check size={14} aria-hidden />}
            Only what stops without you
          </Link>
          <Button
            look="quiet"
            busy={markAll.isPending}
            disabled={!canWrite}
            onClick={() => markAll.mutate(undefined, { onSuccess: () => setTurn((before) => before + 1) })}
          >
            Mark all read
          </Button>
        </>
      }
    >
      <Entries key={`${shelf} ${needs} ${turn}`} shelf={shelf} isNeeded={needs !== undefined} />
      <LiveRegion />
    </Page>
  )
}

function Entries({ shelf, isNeeded }: { readonly shelf: Shelf; readonly isNeeded: boolean }) {
  const { entry: named } = useSearch({ strict: false })
  const isWide = useWide()
  const query = useInfiniteQuery(entriesQuery(shelf, isNeeded))
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const entries = useMemo(() => entriesOf(data?.pages, shelf), [data, shelf])
  const firstSeen = useFirstSeen(entries)
  const rows = useMemo(() => rowsOf(entries, shelf, firstSeen), [entries, shelf, firstSeen])
  const order = rows.flatMap((row) => (row.kind === 'entry' ? [row.entry] : []))
  // Beside the list there is always one; it counts as seen only once somebody has chosen it.
  const shown = order.find(({ id }) => id === named) ?? (named === undefined && isWide ? order[0] : undefined)
  const focusTurn = useEntryKeys(order, shown)
  useReading(named === undefined ? undefined : shown)
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const isEmpty = data !== undefined && entries.length === 0 && named === undefined
  return (
    <div className="flex min-h-0 grow">
      <section
        aria-label="List"
        className={classNames(
          'flex min-h-0 w-full flex-col border-line lg:w-105 lg:shrink-0 lg:border-r',
          named !== undefined && 'max-lg:hidden',
        )}
      >
        <Shelves shelf={shelf} />
        {error && !data ? (
          <ErrorState error={error} what="The inbox" onRetry={() => void refetch()} />
        ) : !data ? (
          <SkeletonRows />
        ) : entries.length === 0 ? (
          <p className="px-4 py-3 text-ink-2 md:px-5 max-lg:hidden">{isEmpty ? '' : 'Nothing else.'}</p>
        ) : (
          <EntryList rows={rows} selectedId={shown?.id} focusTurn={focusTurn} onEnd={onEnd} />
        )}
        {isEmpty && !isWide && <NothingHere shelf={shelf} isNeeded={isNeeded} />}
      </section>
      <section
        aria-label="Entry"
        className={classNames(
          'min-h-0 min-w-0 grow flex-col overflow-y-auto bg-surface lg:flex',
          named === undefined ? 'hidden' : 'flex',
        )}
      >
        {shown ? (
          <EntryDetail key={shown.id} entry={shown} />
        ) : isEmpty ? (
          <NothingHere shelf={shelf} isNeeded={isNeeded} />
        ) : (
          data && named !== undefined && !query.isFetching && <Settled />
        )}
      </section>
    </div>
  )
}

/** Those that still belong on the shelf: what was just marked is gone from it at once. */
function entriesOf(
  pages: readonly { readonly items: readonly InboxEntry[] }[] | undefined,
  shelf: Shelf,
): readonly InboxEntry[] {
  const all = new Map(pages?.flatMap(({ items }) => items).map((entry) => [entry.id, entry] as const))
  const isHere = ({ state }: InboxEntry) =>
    shelf === 'open' ? state === 'unread' || state === 'read' : state === shelf
  return [...all.values()].filter(isHere)
}

/** Entries keep the group in which they were found: one that is being read does not move away from under the reader. */
function useFirstSeen(entries: readonly InboxEntry[]): ReadonlyMap<string, InboxEntry['state']> {
  const seen = useRef<ReadonlyMap<string, InboxEntry['state']>>(new Map())
  return useMemo(() => {
    const next = new Map(seen.current)
    for (const { id, state } of entries) if (state === 'unread' || !next.has(id)) next.set(id, state)
    seen.current = next
    return next
  }, [entries])
}

/** Whoever opens an entry has read it. */
function useReading(shown: InboxEntry | undefined): void {
  const canWrite = useCanWrite()
  const { mutate } = useMark()
  const { id, causes, state } = shown ?? {}
  // Once for each cause: whoever marks it as unread afterwards means it.
  const read = useRef('')
  useEffect(() => {
    const cause = `${id} ${causes}`
    if (!canWrite || id === undefined || causes === undefined || state !== 'unread' || read.current === cause)
      return
    read.current = cause
    mutate({ entries: [{ id, causes }], state: 'read' })
  }, [id, causes, state, canWrite, mutate])
}

function useEntryKeys(order: readonly InboxEntry[], shown: InboxEntry | undefined): number {
  const [focusTurn, setFocusTurn] = useState(0)
  const navigate = useNavigate()
  const { entry: named } = useSearch({ strict: false })
  const canWrite = useCanWrite()
  const mark = useMark()
  const go = (entry: InboxEntry | undefined) => {
    if (!entry) return
    setFocusTurn((turn) => turn + 1)
    void navigate({ to: '.', replace: true, search: (before) => ({ ...before, entry: entry.id }) })
  }
  const close = () => void navigate({ to: '.', search: ({ entry: _, ...rest }) => rest })
  const at = order.findIndex(({ id }) => id === shown?.id)
  // The first one stands there unread until somebody moves to it.
  const down = () => go(named === undefined ? order[0] : order[at + 1])
  const up = () => go(order[Math.max(0, at - 1)])
  const put = (state: 'done' | 'unread' | 'read') => () => {
    if (!shown || !canWrite) return
    const next = order[at + 1] ?? order[at - 1]
    if (state === 'done' && next) go(next)
    else if (state === 'done') close()
    mark.mutate({ entries: [shown], state })
  }
  useKeys({
    j: down,
    ArrowDown: down,
    k: up,
    ArrowUp: up,
    e: put('done'),
    u: put(shown?.state === 'unread' ? 'read' : 'unread'),
    z: openSnooze,
    o: () => shown && isOfCard(shown) && void navigate(toCard(refOf(shown))),
    Escape: close,
  })
  return focusTurn
}

const shelfWords: Readonly<Record<Shelf, string>> = { open: 'Open', snoozed: 'Snoozed', done: 'Done' }

function Shelves({ shelf }: { readonly shelf: Shelf }) {
  return (
    <nav
      aria-label="Entries shown"
      className="flex h-11 shrink-0 items-center gap-1 border-line border-b px-3 md:px-4"
    >
      {shelves.map((each) => (
        <Link
          key={each}
          to="."
          search={({ state: _, entry: __, ...rest }) => ({
            ...rest,
            ...(each === 'open' ? {} : { state: each }),
          })}
          aria-current={each === shelf ? 'true' : undefined}
          className={classNames(
            'inline-flex h-[var(--ch-control-s)] items-center rounded-control px-2 text-meta',
            each === shelf ? 'bg-idle-bg font-medium text-ink' : 'text-ink-2 hover:bg-hover hover:text-ink',
          )}
        >
          {shelfWords[each]}
        </Link>
      ))}
      <Link
        to={paths.notifications}
        className="ml-auto inline-flex h-[var(--ch-control-s)] items-center gap-1.5 rounded-control px-2 text-ink-2 text-meta hover:bg-hover hover:text-ink"
      >
        <Mail size={13} strokeWidth={1.75} aria-hidden />
        By mail
      </Link>
    </nav>
  )
}

const emptyWords: Readonly<Record<Shelf, readonly [string, string]>> = {
  open: [
    'Nothing needs you',
    'Questions of agents, reviews, broken runs, mentions and cards assigned to you show up here.',
  ],
  snoozed: ['Nothing is snoozed', 'Press Z on an entry to get it back later.'],
  done: ['Nothing is done yet', 'Press E on an entry when you are done with it. It stays here for 90 days.'],
}

function NothingHere({ shelf, isNeeded }: { readonly shelf: Shelf; readonly isNeeded: boolean }) {
  const [title, text] = emptyWords[shelf]
  if (isNeeded)
    return (
      <State
        icon={Inbox}
        title="Nothing stops without you"
        action={
          <Link to="." search={({ needs: _, ...rest }) => rest} className={buttonClass({})}>
            Show all entries
          </Link>
        }
      >
        Mentions and assignments are hidden.
      </State>
    )
  return (
    <State icon={Inbox} title={title} {...(shelf === 'open' ? { command: 'crewhall inbox list' } : {})}>
      {text}
    </State>
  )
}

function Settled() {
  return (
    <State
      icon={Check}
      title="This entry is settled"
      action={
        <Link to="." search={({ entry: _, ...rest }) => rest} className={buttonClass({})}>
          Back to the list
        </Link>
      }
    >
      It was marked, or its card went on without you.
    </State>
  )
}
