import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { WorkingCard } from '@crewhall/contracts/boards/working-now.ts'
import { Hourglass, ListChecks, type LucideIcon, MessageSquare, OctagonMinus, Zap } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { useNow, whenTold } from '../app/times.ts'
import { classNames } from '../ui/class-names.ts'
import { cardsOf, moneyOf } from './figures.ts'
import { InlineText } from './inline-text.tsx'
import { wasAbandoned } from './reason.ts'
import { Ticker } from './ticker.tsx'
import { Face, isHeldBy } from './who.tsx'
import { PriorityIcon, PullRequest, priorityWord, TaskTypeIcon } from './words.tsx'

interface CardTileProps {
  readonly card: StandardCard
  readonly working: WorkingCard | undefined
  /** The reference of the first open card that blocks it, where that is known. */
  readonly after?: string | undefined
}

/** What a card shows on its board; at most the type, reference, priority and assignee, title, reason, counts and ticker. */
export const CardTile = memo(function CardTile({ card, working, after }: CardTileProps) {
  const { assignee, claim } = card
  return (
    <>
      <div className="flex flex-col gap-1 px-2.5 pt-2 pb-2 max-md:gap-1.5 max-md:px-3.5 max-md:py-3">
        <div className="flex h-5 items-center gap-1.5">
          <TaskTypeIcon type={card.task_type} />
          <span className="truncate font-mono text-ink-2 text-micro max-md:text-meta">{card.ref}</span>
          <span className="ml-auto flex items-center gap-1.5">
            {card.priority !== 'none' && <PriorityIcon priority={card.priority} />}
            {card.priority !== 'none' && <span className="sr-only">{priorityWord(card.priority)}</span>}
            {assignee && !isHeldBy(card, assignee) && <Face who={assignee} />}
          </span>
        </div>
        <p className="line-clamp-3 break-words font-medium leading-[18px] max-md:text-section" dir="auto">
          <InlineText text={card.title} />
        </p>
        {card.status === 'blocked' && card.blocked_reason !== null && (
          <p className="flex gap-1.5 pt-0.5 text-bad text-meta" dir="auto">
            <OctagonMinus size={13} strokeWidth={1.75} className="mt-px shrink-0" aria-hidden />
            <span className="line-clamp-2 break-words">{card.blocked_reason}</span>
          </p>
        )}
        <Facts card={card} working={working} after={after} />
      </div>
      {claim && <Ticker claim={claim} working={working} />}
      {wasAbandoned(card) && <Abandoned card={card} />}
    </>
  )
})

function Facts({ card, working, after }: CardTileProps) {
  const isOpen = card.status !== 'done' && card.status !== 'canceled'
  const cost = Math.max(card.usage_cost_micros, working?.usage.cost_micros ?? 0)
  const facts = [
    card.pr_number !== null && <PullRequest key="pr" number={card.pr_number} state={card.pr_state} />,
    card.checklist_total > 0 && (
      <Fact key="list" icon={ListChecks} label="done">
        {card.checklist_done}/{card.checklist_total}
      </Fact>
    ),
    card.comments_count > 0 && (
      <Fact key="said" icon={MessageSquare} label={card.comments_count === 1 ? 'comment' : 'comments'}>
        {card.comments_count}
      </Fact>
    ),
    isOpen && card.open_blockers > 0 && (
      <Fact key="after" icon={Hourglass}>
        after {after ?? cardsOf(card.open_blockers)}
      </Fact>
    ),
    card.status === 'pending' && card.is_ready && (
      <Fact key="ready" icon={Zap}>
        Ready
      </Fact>
    ),
  ].filter(Boolean)
  if (facts.length === 0 && cost === 0) return null
  return (
    <div className="flex min-h-5 items-center gap-2.5 text-ink-2 text-micro max-md:text-meta">
      {facts}
      {cost > 0 && <span className="ml-auto shrink-0">{moneyOf(cost)}</span>}
    </div>
  )
}

interface FactProps {
  readonly icon: LucideIcon
  readonly label?: string
  readonly children: ReactNode
}

function Fact({ icon: Icon, label, children }: FactProps) {
  return (
    <span className="inline-flex shrink-0 items-center gap-1">
      <Icon size={13} strokeWidth={1.75} aria-hidden />
      {children}
      {label !== undefined && <span className="sr-only"> {label}</span>}
    </span>
  )
}

function Abandoned({ card }: { readonly card: StandardCard }) {
  const now = useNow()
  return (
    <div className="flex h-8.5 items-center gap-2 border-warn-edge border-t bg-warn-bg px-2.5 text-meta text-warn max-md:h-11 max-md:px-3.5 max-md:text-ui">
      {card.assignee && <Face who={card.assignee} />}
      <span className="min-w-0 grow truncate">
        Lease ran out {card.last_run_at === null ? '' : whenTold(card.last_run_at, now)}
      </span>
      <span className="shrink-0 font-medium">Free</span>
    </div>
  )
}

export const tileClass = (isSelected: boolean, isQuiet = false): string =>
  classNames(
    'block overflow-hidden rounded-card border bg-surface shadow-card -outline-offset-2 select-none',
    // The one that keys act on may not have the focus: each has its own mark.
    isSelected ? 'border-live-mark ring-1 ring-live-mark' : 'border-line hover:border-line-strong',
    isQuiet && 'opacity-40',
  )
