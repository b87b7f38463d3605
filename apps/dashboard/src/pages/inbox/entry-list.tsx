import type { InboxEntry, InboxKind } from '@crewhall/contracts/inbox/inbox.ts'
import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  Brain,
  FolderGit2,
  type LucideIcon,
  MessagesSquare,
  Package,
  Server,
  SquareCheck,
} from 'lucide-react'
import { useEffect, useState } from 'react'
import { useNow, whenTold } from '../../app/times.ts'
import { classNames } from '../../ui/class-names.ts'
import { InlineText } from '../../work/inline-text.tsx'
import { Face } from '../../work/who.tsx'
import { rowWords } from './entry-words.ts'

type GroupName = InboxKind | 'read' | 'snoozed' | 'done'

export type Row =
  | { readonly kind: 'group'; readonly name: GroupName; readonly word: string; readonly count: number }
  | { readonly kind: 'entry'; readonly entry: InboxEntry }

interface EntryListProps {
  readonly rows: readonly Row[]
  readonly selectedId: string | undefined
  /** Changes whenever the selected entry is to be scrolled to and focused. */
  readonly focusTurn: number
  readonly onEnd: () => void
}

const heights = { group: 38, entry: 56 } as const

/** What waits, by what it needs. Only those entries exist that are near what is seen. */
export function EntryList({ rows, selectedId, focusTurn, onEnd }: EntryListProps) {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const now = useNow()
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => heights[rows[index]?.kind ?? 'entry'],
    getItemKey: (index) => keyOf(rows[index]) ?? index,
    overscan: 8,
    paddingStart: 4,
    paddingEnd: 16,
  })
  const items = list.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows.length - 10) onEnd()
  }, [last, rows.length, onEnd])
  const at = rows.findIndex((row) => row.kind === 'entry' && row.entry.id === selectedId)
  useEffect(() => {
    if (focusTurn === 0 || at < 0 || !scroller) return
    list.scrollToIndex(at, { align: 'auto' })
    requestAnimationFrame(() =>
      scroller.querySelector<HTMLElement>('[data-selected] a')?.focus({ preventScroll: true }),
    )
  }, [focusTurn, at, scroller, list.scrollToIndex])
  return (
    <div ref={setScroller} className="min-h-0 grow overflow-y-auto">
      <ul className="relative" aria-label="Entries" style={{ height: list.getTotalSize() }}>
        {items.map(({ key, index, start, size }) => {
          const row = rows[index]
          return (
            row && (
              <li
                key={key}
                className="absolute inset-x-0 top-0"
                style={{ height: size, transform: `translateY(${start}px)` }}
                data-selected={index === at || undefined}
              >
                {row.kind === 'group' ? (
                  <h2 className="flex h-full items-end gap-2 px-4 pb-1.5 text-ink-2 text-meta md:px-5">
                    {row.word}
                    {row.count > 0 && <span>{row.count}</span>}
                  </h2>
                ) : (
                  <EntryRow entry={row.entry} isSelected={index === at} now={now} />
                )}
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}

const keyOf = (row: Row | undefined) => (row?.kind === 'entry' ? row.entry.id : row?.name)

interface EntryRowProps {
  readonly entry: InboxEntry
  readonly isSelected: boolean
  readonly now: number
}

function EntryRow({ entry, isSelected, now }: EntryRowProps) {
  const [title, note] = rowWords(entry)
  const isUnread = entry.state === 'unread'
  return (
    <Link
      to="."
      search={(before) => ({ ...before, entry: entry.id })}
      preload={false}
      data-entry={entry.id}
      aria-current={isSelected ? 'true' : undefined}
      className={classNames(
        'flex h-full items-center gap-3 px-4 focus-visible:-outline-offset-2 md:px-5',
        isSelected ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <EntryMark entry={entry} size={22} />
      <span className="min-w-0 grow">
        <span
          className={classNames('block truncate', isUnread ? 'font-semibold' : 'font-medium')}
          title={title}
          dir="auto"
        >
          <InlineText text={title} />
        </span>
        <span className="block truncate text-ink-2 text-meta" title={note} dir="auto">
          {note}
        </span>
      </span>
      <span className="flex shrink-0 flex-col items-end gap-1.5 self-start pt-2.5 text-ink-2 text-meta">
        <time dateTime={entry.told_at} title={entry.told_at}>
          {whenTold(entry.told_at, now).replace(/ ago$/, '')}
        </time>
        {isUnread && (
          <span className="size-1.5 rounded-full bg-live-mark">
            <span className="sr-only">Unread</span>
          </span>
        )}
      </span>
    </Link>
  )
}

const icons: Readonly<Record<InboxEntry['subject']['kind'], LucideIcon>> = {
  task: SquareCheck,
  memory: Brain,
  source: MessagesSquare,
  desk: Server,
  project: FolderGit2,
  install: Package,
}

/** Who caused it; for the platform, what it is about. */
export function EntryMark({ entry, size }: { readonly entry: InboxEntry; readonly size: 22 | 40 }) {
  const { actor, kind, subject } = entry
  if (actor !== null && actor.kind !== 'system') return <Face who={actor} size={size} />
  const Icon = icons[subject.kind]
  return (
    <span
      className={classNames(
        'inline-flex shrink-0 items-center justify-center rounded-control',
        kind === 'broke' ? 'text-bad' : 'text-ink-2',
        size === 40 && (kind === 'broke' ? 'bg-bad-bg' : 'bg-sunken'),
      )}
      style={{ width: size, height: size }}
    >
      <Icon size={size === 40 ? 20 : 17} strokeWidth={1.75} aria-hidden />
    </span>
  )
}
