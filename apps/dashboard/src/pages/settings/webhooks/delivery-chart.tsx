import type { Delivery } from '@crewhall/contracts/webhooks/deliveries.ts'
import type { Webhook } from '@crewhall/contracts/webhooks/webhooks.ts'
import { useQuery } from '@tanstack/react-query'
import { clockTime, useNow } from '../../../app/times.ts'
import { recentQuery } from './webhook-data.ts'
import { momentTold } from './webhook-words.tsx'

const bars = 48
const dayMs = 24 * 3_600_000
const height = 60

type Outcome = 'once' | 'later' | 'waits' | 'failed'
const outcomes: readonly Outcome[] = ['once', 'later', 'waits', 'failed']
const fills: Readonly<Record<Outcome, string>> = {
  once: 'fill-ok-mark opacity-60',
  later: 'fill-warn-mark',
  waits: 'fill-warn-mark',
  failed: 'fill-bad-mark',
}

const outcomeOf = ({ status, attempts }: Delivery): Outcome =>
  status === 'pending' ? 'waits' : status === 'failed' ? 'failed' : attempts > 1 ? 'later' : 'once'

/** The deliveries of a day, or as many of the newest as one page has. The list below says the same in words. */
export function DeliveryChart({ hook }: { readonly hook: Webhook }) {
  const now = useNow()
  const { data } = useQuery(recentQuery(hook.id))
  const items = data?.items.filter(({ created_at }) => now - Date.parse(created_at) < dayMs) ?? []
  const oldest = items.at(-1)
  // Its place is kept while it is read, and where nothing was sent the list says so.
  if (!data) return <div className="mb-5 h-25" />
  if (!oldest) return null
  const isWhole = data.next_cursor === null || items.length < data.items.length
  const begin = isWhole ? now - dayMs : Date.parse(oldest.created_at)
  const places = placesOf(items, begin, now)
  const most = Math.max(...places.map((place) => place.length))
  const told = countsTold(items)
  const since = isWhole ? 'in 24 hours' : `since ${momentTold(oldest.created_at, now)}`
  return (
    <figure className="mb-5 max-w-280">
      <figcaption className="mb-2 text-ink-2">
        {items.length} {since}: {told}.
      </figcaption>
      <svg
        viewBox={`0 0 ${bars * 10} ${height}`}
        preserveAspectRatio="none"
        className="h-15 w-full"
        aria-hidden
      >
        {places.map((place, at) => (
          <Bar key={String(at)} at={at} place={place} most={most} />
        ))}
      </svg>
      <div className="flex justify-between border-line border-t pt-1 text-ink-2 text-micro" aria-hidden>
        {[0, 1, 2, 3].map((part) => (
          <span key={part}>{clockTime(begin + ((now - begin) * part) / 4)}</span>
        ))}
        <span>now</span>
      </div>
    </figure>
  )
}

function Bar({ at, place, most }: { at: number; place: readonly Outcome[]; most: number }) {
  let top = height
  return outcomes.map((outcome) => {
    const count = place.filter((each) => each === outcome).length
    const size = (count / most) * height
    top -= size
    return (
      count > 0 && (
        <rect key={outcome} x={at * 10 + 1} y={top} width={8} height={size} className={fills[outcome]} />
      )
    )
  })
}

function placesOf(items: readonly Delivery[], begin: number, end: number): readonly Outcome[][] {
  const places: Outcome[][] = Array.from({ length: bars }, () => [])
  for (const item of items) {
    const part = (Date.parse(item.created_at) - begin) / Math.max(1, end - begin)
    places[Math.min(bars - 1, Math.max(0, Math.floor(part * bars)))]?.push(outcomeOf(item))
  }
  return places
}

const words: Readonly<Record<Outcome, readonly [one: string, more: string]>> = {
  once: ['at once', 'at once'],
  later: ['later', 'later'],
  waits: ['waits', 'wait'],
  failed: ['failed', 'failed'],
}

/** `93 at once, 6 later, 1 waits`. */
function countsTold(items: readonly Delivery[]): string {
  const counts = Map.groupBy(items, outcomeOf)
  return outcomes
    .flatMap((outcome) => {
      const count = counts.get(outcome)?.length ?? 0
      return count === 0 ? [] : [`${count} ${words[outcome][count === 1 ? 0 : 1]}`]
    })
    .join(', ')
}
