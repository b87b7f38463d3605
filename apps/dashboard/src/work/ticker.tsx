import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { WorkingCard } from '@crewhall/contracts/boards/working-now.ts'
import { shortSpan, useNow } from '../app/times.ts'
import { classNames } from '../ui/class-names.ts'
import { Face } from './who.tsx'

/** The line below a card is full with this much of the lease left. */
const fullLeaseMs = 15 * 60_000
const shortLeaseMs = 60_000

/** Who works on a card, what the run said last, for how long, and what is left of the lease. */
export function Ticker({
  claim,
  working,
}: {
  readonly claim: NonNullable<StandardCard['claim']>
  readonly working: WorkingCard | undefined
}) {
  const now = useNow(5000)
  const left = Date.parse(claim.expires_at) - now
  const isShort = left < shortLeaseMs
  return (
    <div
      className={classNames(
        'relative flex h-8.5 items-center gap-2 border-t px-2.5 text-meta max-md:h-11 max-md:px-3.5 max-md:text-ui',
        isShort ? 'border-warn-edge bg-warn-bg text-warn' : 'border-live-edge bg-live-bg/50 text-ink-2',
      )}
    >
      <Face who={claim.holder} isWorking />
      <span className="min-w-0 grow truncate">{working?.run?.line || claim.holder.name}</span>
      {working && <span className="shrink-0">{shortSpan(now - Date.parse(working.claimed_at))}</span>}
      <span
        className={classNames(
          'absolute bottom-0 left-0 h-0.5 transition-[width] duration-1000',
          isShort ? 'bg-warn-mark' : 'bg-live-mark',
        )}
        style={{ width: `${Math.min(100, Math.max(0, (left / fullLeaseMs) * 100))}%` }}
      />
    </div>
  )
}
