import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { Run } from '@crewhall/contracts/boards/runs.ts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { newAction } from '../api/own-fetch.ts'
import { workingQuery } from '../app/boards.ts'
import { clockTime, shortSpan, useNow, whenTold } from '../app/times.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Confirm } from '../ui/dialog.tsx'
import { cardPartsApi } from './card-data.ts'
import { useCardAction } from './card-writes.ts'
import { leftOf, moneyOf, tokensOf } from './figures.ts'
import { wasAbandoned } from './reason.ts'
import { actorName, Face } from './who.tsx'

interface NowBlockProps {
  readonly card: FullCard
  /** Newest first. */
  readonly runs: readonly Run[]
  readonly canWrite: boolean
  readonly onMessage: (name: string) => void
}

/** Who works on the card right now, what was said last, and when the lease ends. Without a claim: how to get one. */
export function NowBlock({ card, runs, canWrite, onMessage }: NowBlockProps) {
  if (card.claim)
    return <Held card={card} claim={card.claim} runs={runs} canWrite={canWrite} onMessage={onMessage} />
  if (card.status === 'done' || card.status === 'canceled' || card.archived_at !== null) return null
  return <Free card={card} canWrite={canWrite} />
}

function Free({ card, canWrite }: { readonly card: FullCard; readonly canWrite: boolean }) {
  const now = useNow()
  const claim = useCardAction(card, {
    what: `${card.ref} was not claimed`,
    run: () => cardPartsApi.acting(newAction()).boards.claimCard({ params: { task_id: card.ref }, body: {} }),
  })
  const isLost = wasAbandoned(card)
  const isBlocked = card.status === 'blocked'
  return (
    <div
      className={classNames(
        'flex items-center gap-3 rounded-card border px-4 py-2.5',
        isLost
          ? 'border-warn-edge bg-warn-bg text-warn'
          : isBlocked
            ? 'border-bad-edge bg-bad-bg text-bad'
            : 'border-line bg-canvas text-ink-2',
      )}
    >
      <span className="min-w-0 grow break-words" dir="auto">
        {isBlocked
          ? (card.blocked_reason ?? 'Blocked, without a reason.')
          : isLost
            ? `The lease ran out ${card.last_run_at ? whenTold(card.last_run_at, now) : ''}. The card is free.`
            : card.is_ready
              ? 'Nobody works on it. It is ready to be claimed.'
              : 'Nobody works on it.'}
      </span>
      {!isBlocked && (
        <Button size="s" busy={claim.isPending} disabled={!canWrite} onClick={() => claim.mutate(undefined)}>
          Claim it
        </Button>
      )}
    </div>
  )
}

function Held({
  card,
  claim,
  runs,
  canWrite,
  onMessage,
}: NowBlockProps & { readonly claim: NonNullable<FullCard['claim']> }) {
  const now = useNow(1000)
  const [isAsking, setAsking] = useState(false)
  const working = useQuery(workingQuery).data?.items.find(({ id }) => id === card.id)
  const run = runs.find(({ status }) => status === 'running')
  const release = useCardAction(card, {
    what: 'The claim was not released',
    run: () =>
      cardPartsApi.acting(newAction()).boards.releaseClaim({
        params: { task_id: card.ref },
        body: { claim_id: claim.claim_id, epoch: claim.epoch },
      }),
  })
  const lines = (run?.summary ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-4)
  const left = Date.parse(claim.expires_at) - now
  const profile = card.agent_context.profile
  const who = claim.holder.name
  return (
    <section aria-label="Now" className="overflow-hidden rounded-card border border-live-edge bg-live-bg/40">
      <header className="flex flex-wrap items-center gap-3 px-3.5 py-3">
        <Face who={claim.holder} size={30} isWorking />
        <div className="min-w-0 grow">
          <p className="truncate font-semibold">{actorName(claim.holder)} works on it</p>
          <p className="truncate text-ink-2 text-meta">
            {run ? `Run ${run.number}` : 'No run yet'}
            {typeof profile === 'string' && (
              <>
                {' with '}
                <span className="font-mono text-micro">{profile}</span>
              </>
            )}
            {`, until ${clockTime(Date.parse(claim.expires_at))}`}
          </p>
        </div>
        <div className="flex grow gap-2 md:grow-0">
          <Button size="s" className="grow" disabled={!canWrite} onClick={() => onMessage(who)}>
            Message
          </Button>
          <Button size="s" className="grow" disabled={!canWrite} onClick={() => setAsking(true)}>
            {run ? 'Stop run' : 'Release'}
          </Button>
        </div>
      </header>
      {lines.length > 0 && (
        <div className="border-live-edge border-t px-3.5 py-2.5 font-mono text-ink-2 text-meta">
          {lines.map((line, at) => (
            <p
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text have no other name
              key={at}
              className={classNames('truncate', at === lines.length - 1 && 'text-ink')}
            >
              {line}
              {at === lines.length - 1 && (
                <span
                  className="ml-1 inline-block h-3 w-1.5 translate-y-0.5 animate-pulse-live bg-live-mark"
                  aria-hidden
                />
              )}
            </p>
          ))}
        </div>
      )}
      <dl className="flex flex-wrap justify-between gap-x-6 gap-y-2 border-live-edge border-t px-3.5 py-2.5">
        {working && <Figure name="Elapsed">{shortSpan(now - Date.parse(working.claimed_at))}</Figure>}
        {run && (
          <Figure name="Tokens" isForDesk>
            {tokensOf(run.usage.tokens)}
          </Figure>
        )}
        {run && (
          <Figure name="This run" isForDesk>
            {moneyOf(run.usage.cost_micros)}
          </Figure>
        )}
        {runs.length > 0 && (
          <Figure name={`Card, ${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`}>
            {moneyOf(runs.reduce((sum, { usage }) => sum + usage.cost_micros, 0))}
          </Figure>
        )}
        <Figure name="Lease" isWarning={left < 60_000}>
          {left > 0 ? `${leftOf(left)} left` : 'ran out'}
        </Figure>
      </dl>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={run ? `Stop run ${run.number} on ${card.ref}?` : `Release ${card.ref}?`}
        consequences={[
          `The claim of ${who} ends now; its later writes are refused.`,
          ...(run ? [`Run ${run.number} counts as lost. What it has written stays.`] : []),
          'Others can claim the card at once.',
        ]}
        action={run ? 'Stop run' : 'Release'}
        busy={release.isPending}
        onConfirm={() => release.mutate(undefined, { onSettled: () => setAsking(false) })}
      />
    </section>
  )
}

interface FigureProps {
  readonly name: string
  readonly isWarning?: boolean
  /** A phone has room for three; the list of runs has the others. */
  readonly isForDesk?: boolean
  readonly children: ReactNode
}

function Figure({ name, isWarning = false, isForDesk = false, children }: FigureProps) {
  return (
    <div className={isForDesk ? 'max-md:hidden' : ''}>
      <dt className="text-ink-2 text-micro">{name}</dt>
      <dd className={classNames('font-semibold', isWarning && 'text-warn')}>{children}</dd>
    </div>
  )
}
