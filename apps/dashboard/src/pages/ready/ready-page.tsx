import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import * as claims from '@crewhall/contracts/boards/claims.ts'
import * as work from '@crewhall/contracts/boards/work.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Hourglass, Zap } from 'lucide-react'
import { type ReactNode, Suspense, useMemo } from 'react'
import { apiOf } from '../../api/api.ts'
import { newAction } from '../../api/own-fetch.ts'
import { boardsQuery } from '../../app/boards.ts'
import { latePart } from '../../app/late.tsx'
import { paths, toCard } from '../../app/paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { LiveRegion } from '../../ui/live-region.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../../ui/states.tsx'
import { useBoardCards } from '../../work/board-cards.ts'
import { type FoundRow, FoundTable } from '../../work/found-table.tsx'
import { InlineText } from '../../work/inline-text.tsx'
import { blockerWords } from '../../work/reason.ts'

const api = apiOf({ boards: routesIn(claims, work) })

const CardPanel = latePart(() => import('../card/card-panel.tsx').then(({ CardPanel }) => CardPanel))

/** What an agent would take next on a board, in the order of the server, and why not the others. */
export function ReadyPage() {
  const { board: key } = useSearch({ strict: false })
  const boards = useQuery(boardsQuery)
  const items = boards.data?.items ?? []
  const board = items.find((each) => each.key === key) ?? items[0]
  return (
    <Page title="Ready queue" crumbs={[{ label: 'All cards', to: paths.all }]}>
      {boards.error && !boards.data ? (
        <ErrorState error={boards.error} what="The boards" onRetry={() => void boards.refetch()} />
      ) : !boards.data ? (
        <SkeletonRows />
      ) : board ? (
        <>
          <NextCard />
          <nav
            aria-label="Board"
            className="flex h-11 shrink-0 items-center gap-2 overflow-x-auto px-4 [scrollbar-width:none] md:px-5"
          >
            {items.map((each) => (
              <Link
                key={each.id}
                to="."
                replace
                search={{ board: each.key }}
                aria-current={each === board ? 'true' : undefined}
                className={classNames(buttonClass({ size: 's' }), each === board && 'border-ink!')}
              >
                <span className="font-mono text-ink-2 text-micro">{each.key}</span>
                {each.name}
              </Link>
            ))}
          </nav>
          <Queue key={board.id} board_id={board.id} name={board.name} />
        </>
      ) : (
        <State icon={Zap} title="No boards yet">
          Cards that are ready to be claimed stand here, in the order in which agents take them.
        </State>
      )}
      <Suspense>
        <CardPanel order={[]} onClosed={() => {}} />
      </Suspense>
      <LiveRegion />
    </Page>
  )
}

/** Asked for without taking anything. */
function NextCard() {
  const { data, error } = useQuery({
    queryKey: ['next-work'],
    queryFn: async ({ signal }) =>
      (await api.acting(newAction({ is_dry_run: true, signal })).boards.nextWork({ body: {} })).body,
    refetchInterval: 15_000,
    staleTime: 0,
  })
  const card = data?.context
  if (error && !data) return null
  return (
    <p className="mx-4 mt-4 flex min-h-11 shrink-0 items-center gap-2.5 rounded-card border border-line bg-surface px-4 py-2.5 md:mx-5">
      <Zap size={15} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
      {data === undefined ? (
        <span className="text-ink-2">Looking what comes next</span>
      ) : card ? (
        <span className="min-w-0 break-words">
          <span className="text-ink-2">An agent that asks for work now gets </span>
          <Link {...toCard(card.ref)} className="font-medium text-link hover:underline">
            <span className="font-mono text-meta">{card.ref}</span> <InlineText text={card.title ?? ''} />
          </Link>
          <span className="text-ink-2">, over all boards.</span>
        </span>
      ) : (
        <span className="text-ink-2">
          An agent that asks for work now gets nothing: no card of any board is ready.
        </span>
      )}
    </p>
  )
}

const mostReady = 100

function Queue({ board_id, name }: { readonly board_id: string; readonly name: string }) {
  const ready = useQuery({
    // Below the board, so that its events read it again.
    queryKey: ['board', board_id, 'ready'],
    queryFn: async ({ signal }) =>
      (
        await api
          .reading(signal)
          .boards.listReadyCards({ params: { board_id }, query: { limit: String(mostReady) } })
      ).body.items,
  })
  const { data: known, error: cardsError, refetch } = useBoardCards(board_id)
  const waiting = useMemo(
    () =>
      [...(known?.cards.values() ?? [])].filter(
        ({ is_ready, status }) => !is_ready && status !== 'done' && status !== 'canceled',
      ),
    [known],
  )
  const error = ready.error ?? cardsError
  if (error && (!ready.data || !known))
    return (
      <ErrorState
        error={error}
        what="The queue"
        onRetry={() => {
          void ready.refetch()
          void refetch()
        }}
      />
    )
  if (!ready.data || !known) return <SkeletonRows />
  if (ready.data.length === 0 && waiting.length === 0)
    return (
      <State icon={Zap} title="Nothing is open" command="crewhall next">
        {name} has no card that is not finished.
      </State>
    )
  const rows: readonly FoundRow[] = [
    {
      kind: 'group',
      name: 'ready',
      content: <Group word="Ready, first one first" count={ready.data.length} />,
    },
    ...ready.data.map((card, at) => ({
      kind: 'card' as const,
      card: { ...card, board: name },
      note: (
        <Note icon={<Zap size={14} strokeWidth={1.75} className="shrink-0" aria-hidden />}>
          {at === 0 ? 'Next on this board' : `Number ${at + 1}`}
        </Note>
      ),
    })),
    ...(waiting.length === 0
      ? []
      : [
          {
            kind: 'group' as const,
            name: 'waiting',
            content: <Group word="Not ready" count={waiting.length} />,
          },
        ]),
    ...waiting.map((card) => ({
      kind: 'card' as const,
      card,
      note: (
        <Note icon={<Hourglass size={14} strokeWidth={1.75} className="shrink-0" aria-hidden />}>
          {whyNot(card, known.cards)}
        </Note>
      ),
    })),
  ]
  return (
    <FoundTable
      label="Ready queue"
      noteName="Why"
      count={rows.length}
      rowAt={(index) => rows[index] ?? { kind: 'card', card: undefined }}
    />
  )
}

function Group({ word, count }: { readonly word: string; readonly count: number }) {
  return (
    <>
      {word} <span className="font-normal text-ink-2">{count}</span>
    </>
  )
}

function Note({ icon, children }: { readonly icon: ReactNode; readonly children: string }) {
  return (
    <span className="flex items-center gap-2 text-ink-2" title={children}>
      {icon}
      <span className="truncate">{children}</span>
    </span>
  )
}

/** The first fact of the card that keeps it from being taken. */
function whyNot(card: StandardCard, cards: ReadonlyMap<string, StandardCard>): string {
  if (card.claim) return `${card.claim.holder.name} works on it`
  if (card.status === 'blocked') return card.blocked_reason ?? 'Blocked'
  if (card.open_blockers > 0) return `After ${blockerWords(card, cards)}`
  if (card.source === 'guest') return 'A guest wrote some of its text'
  if (card.source === 'import') return 'Imported; nobody has vouched for its text'
  if (card.status === 'review') return 'Waits for review'
  return 'Not ready'
}
