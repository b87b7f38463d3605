import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { InboxEntry } from '@crewhall/contracts/inbox/inbox.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ArrowLeft, ArrowRight, Check } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { useDraft } from '../../app/drafts.ts'
import { toCard, toMachine } from '../../app/paths.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { cardQuery, commentsQuery, runsQuery } from '../../work/card-data.ts'
import { Comments, Composer } from '../../work/comments.tsx'
import { Delivery } from '../../work/delivery.tsx'
import { InlineText } from '../../work/inline-text.tsx'
import { OwnMentions } from '../../work/mention.tsx'
import { Prose } from '../../work/prose.tsx'
import { EntryMark } from './entry-list.tsx'
import { headWords, isOfCard, refOf, sinceWord } from './entry-words.ts'
import { useMark } from './inbox-data.ts'
import { LastRun } from './last-run.tsx'
import { Question } from './question.tsx'
import { SnoozeMenu } from './snooze-menu.tsx'

/** One entry with what is needed to deal with it in place. */
export function EntryDetail({ entry }: { readonly entry: InboxEntry }) {
  return (
    <article className="flex w-full max-w-[1120px] flex-col gap-5 px-4 py-5 md:px-8 md:py-6">
      <BackToList />
      <OwnMentions value={true}>
        {isOfCard(entry) ? <OfCard entry={entry} /> : <OfEvent entry={entry} />}
      </OwnMentions>
    </article>
  )
}

function BackToList() {
  return (
    <Link
      to="."
      search={({ entry: _, ...rest }) => rest}
      className="inline-flex items-center gap-1.5 self-start rounded-tag text-ink-2 hover:text-ink lg:hidden"
    >
      <ArrowLeft size={15} aria-hidden />
      Inbox
    </Link>
  )
}

interface HeadProps {
  readonly entry: InboxEntry
  readonly note: ReactNode
  readonly open?: ReactNode
}

function Head({ entry, note, open }: HeadProps) {
  const canWrite = useCanWrite()
  const navigate = useNavigate()
  const mark = useMark()
  const leave = () => void navigate({ to: '.', search: ({ entry: _, ...rest }) => rest })
  const isDone = entry.state === 'done'
  const put = (state: 'done' | 'unread') => () => {
    mark.mutate({ entries: [entry], state })
    if (state === 'done') leave()
  }
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-3">
      <EntryMark entry={entry} size={40} />
      <div className="min-w-56 grow basis-0">
        <h2 className="break-words font-semibold text-section" dir="auto">
          {headWords(entry)}
        </h2>
        <p className="break-words text-ink-2" dir="auto">
          {note}
        </p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <SnoozeMenu entry={entry} onGone={leave} />
        <Button disabled={!canWrite} busy={mark.isPending} onClick={put(isDone ? 'unread' : 'done')}>
          <Check size={14} strokeWidth={1.75} aria-hidden />
          {isDone ? 'Put back' : 'Done'}
        </Button>
        {open}
      </div>
    </header>
  )
}

/** How often and until when, where that says something. */
function moreOf({ causes, snoozed_until }: InboxEntry): string {
  const often = causes > 1 ? ` ${causes} times so far.` : ''
  return snoozed_until === null ? often : `${often} Snoozed until ${sinceWord(snoozed_until)}.`
}

function OfCard({ entry }: { readonly entry: InboxEntry }) {
  const ref = refOf(entry)
  const { data: card, error, refetch } = useQuery(cardQuery(ref))
  return (
    <>
      <Head
        entry={entry}
        note={
          <>
            <InlineText text={card?.title ?? entry.title} />
            {`, ${noteOf(entry, card)}.${moreOf(entry)}`}
          </>
        }
        open={
          <Link {...toCard(ref)} className={buttonClass({})}>
            <ArrowRight size={14} strokeWidth={1.75} aria-hidden />
            Open card
          </Link>
        }
      />
      {error && !card ? (
        <ErrorState error={error} what={`The card ${ref}`} onRetry={() => void refetch()} />
      ) : card ? (
        <CardPart entry={entry} card={card} />
      ) : (
        <SkeletonRows rows={3} />
      )}
    </>
  )
}

function noteOf({ kind, told_at }: InboxEntry, card: FullCard | undefined): string {
  const since = sinceWord(told_at)
  if (kind === 'asks_you') {
    if (card && card.status !== 'blocked') return `in ${card.column.name} by now`
    return `blocked since ${since}${card && card.claim === null ? '. Its claim is released; it goes on when you answer' : ''}`
  }
  return card ? `in ${card.column.name} on ${card.board}, ${since}` : since
}

function CardPart({ entry, card }: { readonly entry: InboxEntry; readonly card: FullCard }) {
  const runs = useQuery(runsQuery(card.ref)).data?.items ?? []
  const comments = useQuery(commentsQuery(card.ref)).data
  const canWrite = useCanWrite()
  const last = runs[0]
  const { kind } = entry
  const asks = kind === 'asks_you' && card.status === 'blocked'
  const said = comments?.items ?? []
  return (
    <>
      {asks && <Question entry={entry} card={card} />}
      {kind === 'review_wanted' && <Delivery card={card} />}
      {kind === 'review_wanted' && card.result !== '' && (
        <Part title="Result">
          <Prose text={card.result} />
        </Part>
      )}
      {kind === 'assigned' && card.description !== '' && (
        <Part title="What is to be done">
          <Prose text={card.description} />
        </Part>
      )}
      {last && kind !== 'mentioned' && (
        <Part title={asks ? `What ${last.started_by.name} did before asking` : `Run ${last.number}`}>
          <LastRun run={last} />
        </Part>
      )}
      {said.length > 0 && (
        <Part title="Last comments">
          <Comments card={card} comments={said.slice(-3)} total={comments?.total ?? 0} canWrite={canWrite} />
        </Part>
      )}
      {!asks && <Reply card={card} />}
    </>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  )
}

function Reply({ card }: { readonly card: FullCard }) {
  const canWrite = useCanWrite()
  const [draft, setDraft] = useDraft(card.id)
  const field = useRef<HTMLTextAreaElement>(null)
  return (
    <Composer
      card={card}
      canWrite={canWrite}
      field={field}
      text={draft}
      onText={setDraft}
      onSent={() => {}}
    />
  )
}

/** What happened outside boards: told in words, with the way to its page where there is one. */
function OfEvent({ entry }: { readonly entry: InboxEntry }) {
  const { subject, title, reason } = entry
  return (
    <>
      <Head
        entry={entry}
        note={`${sinceWord(entry.told_at)}.${moreOf(entry)}`}
        open={
          subject.kind === 'desk' ? (
            <Link {...toMachine(subject.id)} className={buttonClass({})}>
              <ArrowRight size={14} strokeWidth={1.75} aria-hidden />
              Open machine
            </Link>
          ) : undefined
        }
      />
      {reason !== null && <Prose text={reason} />}
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 rounded-card border border-line px-4 py-3">
        <dt className="text-ink-2">Event</dt>
        <dd className="break-all font-mono text-meta">{title}</dd>
        <dt className="text-ink-2">Id</dt>
        <dd className="break-all font-mono text-meta">{subject.id}</dd>
      </dl>
    </>
  )
}
