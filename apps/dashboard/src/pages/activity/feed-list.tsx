import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowUp } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { toBoard } from '../../app/paths.ts'
import { clockTime, useNow } from '../../app/times.ts'
import { Button } from '../../ui/button.tsx'
import { announce } from '../../ui/live-region.tsx'
import { actionWords } from '../../work/activity.tsx'
import { InlineText } from '../../work/inline-text.tsx'
import { actorName, Face } from '../../work/who.tsx'
import { dayOf, type FeedEntry } from './feed-data.ts'
import { type FeedRow, type RowHeights, rowKey, useRowHeights } from './feed-rows.ts'

interface FeedListProps {
  readonly rows: readonly FeedRow[]
  /** Called while the end is near. */
  readonly onEnd: () => void
  /** What stands after the last entry. */
  readonly end: ReactNode
}

/** So many rows before the end, the next page is asked for. */
const ahead = 40

/** Rows of another height are another list: the window was made wider or narrower. */
export function FeedList(list: FeedListProps) {
  const heights = useRowHeights()
  return <Rows key={heights.entry} heights={heights} {...list} />
}

/** Only those rows exist that are near what is seen. What comes in above does not move what is being read. */
function Rows({ rows, onEnd, end, heights }: FeedListProps & { readonly heights: RowHeights }) {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const today = dayOf(useNow())
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => heights[rows[index]?.kind ?? 'entry'],
    // The same function for the same rows: with another one, all places are worked out again.
    getItemKey: useCallback((index: number) => rowKey(rows[index] ?? { kind: 'end' }), [rows]),
    overscan: 12,
  })
  const items = list.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows.length - ahead) onEnd()
  }, [last, rows, onEnd])
  const fresh = useKeptPlace(rows, scroller, heights)
  return (
    <div className="relative flex min-h-0 grow flex-col">
      {fresh > 0 && (
        <Button
          size="s"
          look="primary"
          className="absolute top-3 left-1/2 z-10 -translate-x-1/2 rounded-full! shadow-menu"
          onClick={() => scroller?.scrollTo({ top: 0 })}
        >
          <ArrowUp size={13} aria-hidden />
          {countOf(fresh)}
        </Button>
      )}
      <div ref={setScroller} className="min-h-0 grow overflow-y-auto bg-surface [overflow-anchor:none]">
        <ul aria-label="Activity" className="relative" style={{ height: list.getTotalSize() }}>
          {items.map(({ key, index, start, size }) => {
            const row = rows[index]
            return (
              row && (
                <li
                  key={key}
                  className="absolute inset-x-0 top-0"
                  style={{ height: size, transform: `translateY(${start}px)` }}
                >
                  {row.kind === 'entry' ? (
                    <EntryRow entry={row.entry} />
                  ) : row.kind === 'day' ? (
                    <h2 className="flex h-full items-center border-line border-b bg-canvas px-4 font-medium text-ink-2 text-meta md:px-5">
                      {dayWord(row.day, today)}
                    </h2>
                  ) : (
                    end
                  )}
                </li>
              )
            )
          })}
        </ul>
      </div>
    </div>
  )
}

const countOf = (count: number): string => (count === 1 ? '1 new entry' : `${count} new entries`)

/** Keeps the first entry that is seen where it is, and counts what came in above since the reader was at the top. */
function useKeptPlace(
  rows: readonly FeedRow[],
  scroller: HTMLDivElement | null,
  heights: RowHeights,
): number {
  const place = useRef<{ readonly key: string; readonly within: number }>(undefined)
  const [topSeen, setTopSeen] = useState(() => firstEntry(rows))
  const known = useRef(rows)
  useLayoutEffect(() => {
    known.current = rows
    const kept = place.current
    if (!scroller || !kept) return
    const start = startOf(rows, kept.key, heights)
    // Set only where it changes: setting it ends the swing of a finger.
    if (start !== undefined && Math.abs(start + kept.within - scroller.scrollTop) >= 1)
      scroller.scrollTop = start + kept.within
  }, [rows, scroller, heights])
  useEffect(() => {
    if (!scroller) return
    const onScroll = () => {
      const isAtTop = scroller.scrollTop < heights.day
      place.current = isAtTop ? undefined : placeAt(known.current, scroller.scrollTop, heights)
      if (isAtTop) setTopSeen(firstEntry(known.current))
    }
    scroller.addEventListener('scroll', onScroll, { passive: true })
    return () => scroller.removeEventListener('scroll', onScroll)
  }, [scroller, heights])
  const first = firstEntry(rows)
  const fresh = topSeen === undefined || topSeen === first ? 0 : entriesAbove(rows, topSeen)
  useEffect(() => {
    // Whoever is at the top sees what comes.
    if (place.current === undefined) setTopSeen(first)
  }, [first])
  useEffect(() => {
    if (fresh > 0) announce(countOf(fresh))
  }, [fresh])
  return place.current === undefined ? 0 : fresh
}

const firstEntry = (rows: readonly FeedRow[]): string | undefined => {
  const row = rows.find(({ kind }) => kind === 'entry')
  return row && rowKey(row)
}

function entriesAbove(rows: readonly FeedRow[], key: string): number {
  const at = rows.findIndex((row) => rowKey(row) === key)
  return at < 0 ? 0 : rows.slice(0, at).filter(({ kind }) => kind === 'entry').length
}

function startOf(rows: readonly FeedRow[], key: string, heights: RowHeights): number | undefined {
  let start = 0
  for (const row of rows) {
    if (rowKey(row) === key) return start
    start += heights[row.kind]
  }
  return undefined
}

/** The first entry at or below a height. Not a day: entries come in below the newest one. */
function placeAt(
  rows: readonly FeedRow[],
  top: number,
  heights: RowHeights,
): { key: string; within: number } | undefined {
  let start = 0
  for (const row of rows) {
    if (row.kind === 'entry' && start + heights.entry > top) return { key: rowKey(row), within: top - start }
    start += heights[row.kind]
  }
  return undefined
}

/** `Today`, `Yesterday`, `Tuesday, 12 November`, with the year if it is another. */
function dayWord(day: string, today: string): string {
  if (day === today) return 'Today'
  const date = new Date(`${day}T12:00:00`)
  if (dayOf(date.getTime() + 24 * 3_600_000) === today) return 'Yesterday'
  return date.toLocaleDateString('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(day.slice(0, 4) === today.slice(0, 4) ? {} : { year: 'numeric' }),
  })
}

const cover =
  'outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:-outline-offset-2'

function EntryRow({ entry }: { readonly entry: FeedEntry }) {
  const { actor, board, ref, title = '', created_at } = entry
  const words = actionWords(entry)
  return (
    <div className="relative flex h-full items-center gap-3 border-line border-b px-4 hover:bg-hover md:px-5">
      <Face who={actor} size={22} />
      <span className="min-w-0 grow">
        <span
          className="line-clamp-2 break-words md:line-clamp-1"
          dir="auto"
          title={`${actorName(actor)} ${words}`}
        >
          <span className="font-medium">{actorName(actor)}</span> <span className="text-ink-2">{words}</span>
        </span>
        {ref === undefined ? (
          <Link
            {...toBoard(board.key)}
            preload={false}
            className={`block truncate text-ink-2 text-meta ${cover}`}
          >
            <span className="font-mono text-micro">{board.key}</span> {board.name}
          </Link>
        ) : (
          <Link
            to="."
            search={(before) => ({ ...before, card: ref })}
            preload={false}
            className={`block truncate text-ink-2 text-meta ${cover}`}
            title={title}
            dir="auto"
          >
            <span className="font-mono text-micro">{ref}</span> <InlineText text={title} />
          </Link>
        )}
      </span>
      <time className="shrink-0 text-ink-2 text-meta" dateTime={created_at} title={created_at}>
        {clockTime(Date.parse(created_at))}
      </time>
    </div>
  )
}
