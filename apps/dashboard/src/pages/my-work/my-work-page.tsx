import { type CardStatus, cardStatuses } from '@crewhall/contracts/boards/card-fields.ts'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { SquareCheck } from 'lucide-react'
import { Suspense } from 'react'
import { boardsQuery, workingQuery } from '../../app/boards.ts'
import { latePart } from '../../app/late.tsx'
import { paths } from '../../app/paths.ts'
import { useMe } from '../../app/session.ts'
import { shortSpan, useNow } from '../../app/times.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { LiveRegion } from '../../ui/live-region.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../../ui/states.tsx'
import { CardStatusIcon, cardStatusWord } from '../../ui/status.tsx'
import { cardsOf } from '../../work/figures.ts'
import { foundPageQuery, queryOf } from '../../work/found-cards.ts'
import { type FoundRow, FoundTable } from '../../work/found-table.tsx'
import { useFoundFilters } from '../all/all-page.tsx'
import { FoundFilterRow, useChangeFound } from '../all/found-filter-row.tsx'

const CardPanel = latePart(() => import('../card/card-panel.tsx').then(({ CardPanel }) => CardPanel))

/** What is at hand first; what is finished only if it is asked for. */
const open: readonly CardStatus[] = ['in_progress', 'blocked', 'review', 'pending']

/** The cards that are assigned to the reader, by what state they are in, and those that the reader has claimed. */
export function MyWorkPage() {
  return (
    <Page title="My work">
      <Mine />
      <Suspense>
        <CardPanel order={[]} onClosed={() => {}} />
      </Suspense>
      <LiveRegion />
    </Page>
  )
}

function Mine() {
  const { assignee: _, ...filters } = useFoundFilters()
  const { status } = useSearch({ strict: false })
  const change = useChangeFound()
  const known = useQuery(boardsQuery)
  const boards = known.data?.items
  const claimed = useClaimed()
  const chosen = cardStatuses.filter((each) => (status === undefined ? open.includes(each) : each === status))
  const shown = status === undefined ? open : chosen
  const groups = useQueries({
    queries: shown.map((each) => ({
      ...foundPageQuery({ ...queryOf(filters, boards ?? []), assignee: 'me', status: each }, 1),
      enabled: boards !== undefined,
    })),
  })
  // Without the boards nothing can be asked for.
  const failed = [known, ...groups].find(({ error, data }) => error && !data)
  const isKnown = groups.every(({ data }) => data)
  const total = groups.reduce((sum, { data }) => sum + (data?.total ?? 0), 0)
  const rows = [
    ...claimed,
    ...groups.flatMap(({ data }, at): readonly FoundRow[] => {
      const name = shown[at]
      if (!data || !name || data.total === 0) return []
      return [
        {
          kind: 'group',
          name,
          content: <Heading status={name} total={data.total} shown={data.items.length} />,
        },
        ...data.items.map((card) => ({ kind: 'card', card }) as const),
      ]
    }),
  ]
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <FoundFilterRow filters={filters} sentence={isKnown ? `${cardsOf(total)} assigned to you` : ''} />
      {failed ? (
        <ErrorState error={failed.error} what="Your work" onRetry={() => void failed.refetch()} />
      ) : !isKnown ? (
        <SkeletonRows />
      ) : rows.length > 0 ? (
        <FoundTable
          label="My work"
          count={rows.length}
          rowAt={(index) => rows[index] ?? { kind: 'card', card: undefined }}
        />
      ) : isFiltered ? (
        <State
          icon={SquareCheck}
          title="No card of yours matches"
          action={<Button onClick={() => change({})}>Clear filters</Button>}
        />
      ) : (
        <State
          icon={SquareCheck}
          title="Nothing is assigned to you"
          action={
            <Link to={paths.ready} className={buttonClass({ look: 'primary' })}>
              See what is ready
            </Link>
          }
          command="crewhall next"
        >
          Cards that are assigned to you, or that you have claimed, stand here.
        </State>
      )}
    </>
  )
}

function Heading({
  status,
  total,
  shown,
}: {
  readonly status: CardStatus
  readonly total: number
  readonly shown: number
}) {
  return (
    <>
      <CardStatusIcon status={status} label={false} />
      {cardStatusWord(status)}
      <span className="font-normal text-ink-2">{shown < total ? `${shown} of ${total}` : total}</span>
      {shown < total && (
        <Link
          to={paths.all}
          search={{ assignee: 'me', status }}
          className="font-normal text-link hover:underline"
        >
          Show all
        </Link>
      )}
    </>
  )
}

/** What the reader has claimed, whoever it is assigned to. */
function useClaimed(): readonly FoundRow[] {
  const me = String(useMe().person.id)
  const now = useNow()
  const mine = useQuery(workingQuery).data?.items.filter(
    ({ claim }) => claim.holder.kind === 'member' && claim.holder.id === me,
  )
  if (!mine || mine.length === 0) return []
  return [
    { kind: 'group', name: 'claimed', content: <>You work on it {mine.length}</> },
    ...mine.map(({ ref, title, board, status, claim, claimed_at, run }) => ({
      kind: 'card' as const,
      card: {
        ref,
        title,
        board,
        status,
        column: { name: cardStatusWord(status) },
        assignee: { kind: 'member' as const, id: claim.holder.id, name: claim.holder.name },
        pr_number: null,
        pr_state: null,
        branch: null,
      },
      note: (
        <span className="text-live">
          {run?.line || 'At work'}, {shortSpan(now - Date.parse(claimed_at))}
        </span>
      ),
    })),
  ]
}
