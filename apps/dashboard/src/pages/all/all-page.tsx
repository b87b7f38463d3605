import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Layers, Zap } from 'lucide-react'
import { Suspense } from 'react'
import { boardsQuery, workingQuery } from '../../app/boards.ts'
import { latePart } from '../../app/late.tsx'
import { paths } from '../../app/paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { LiveRegion } from '../../ui/live-region.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../../ui/states.tsx'
import { cardsOf } from '../../work/figures.ts'
import { filtersOf } from '../../work/filters.ts'
import {
  type BoardName,
  type FoundFilters,
  type FoundQuery,
  foundPageQuery,
  useFoundPages,
} from '../../work/found-cards.ts'
import { FoundTable } from '../../work/found-table.tsx'
import { useFoundQuery, ViewsMenu } from '../../work/views.tsx'
import { FoundFilterRow, useChangeFound } from './found-filter-row.tsx'

const CardPanel = latePart(() => import('../card/card-panel.tsx').then(({ CardPanel }) => CardPanel))

/** The filters of the address; what a board alone can tell is left out. */
export function useFoundFilters(): FoundFilters {
  const search = useSearch({ strict: false })
  const { ready: _, ...filters } = filtersOf(search)
  const { board, status, sort } = search
  return { ...filters, ...(board && { board }), ...(status && { status }), ...(sort && { sort }) }
}

/** Cards of all boards, windowed: those that are scrolled to are read, and no others. */
export function AllPage() {
  const filters = useFoundFilters()
  const boards = useQuery(boardsQuery)
  return (
    <Page
      title="All cards"
      actions={
        <Link to={paths.ready} className={buttonClass({})}>
          <Zap size={14} strokeWidth={1.75} aria-hidden />
          Ready queue
        </Link>
      }
    >
      {boards.error && !boards.data ? (
        <ErrorState error={boards.error} what="The boards" onRetry={() => void boards.refetch()} />
      ) : boards.data ? (
        <All filters={filters} boards={boards.data.items} />
      ) : (
        <SkeletonRows />
      )}
      <Suspense>
        <CardPanel order={[]} onClosed={() => {}} />
      </Suspense>
      <LiveRegion />
    </Page>
  )
}

interface FoundProps {
  readonly filters: FoundFilters
  readonly query: FoundQuery
}

function All({ filters, boards }: { readonly filters: FoundFilters; readonly boards: readonly BoardName[] }) {
  const query = useFoundQuery(filters, boards)
  const total = useQuery(foundPageQuery(query, 1)).data?.total
  const working = useQuery(workingQuery).data?.items.length ?? 0
  const sentence =
    total === undefined ? '' : `${cardsOf(total)} · ${working === 0 ? 'nobody' : working} at work`
  return (
    <>
      <FoundFilterRow filters={filters} sentence={sentence}>
        <ViewsMenu place="all" filters={query} />
      </FoundFilterRow>
      <Found key={JSON.stringify(query)} filters={filters} query={query} />
    </>
  )
}

function Found({ filters, query }: FoundProps) {
  const change = useChangeFound()
  const { total, error, cardAt, see, refetch } = useFoundPages(query)
  if (error && total === undefined) return <ErrorState error={error} what="The cards" onRetry={refetch} />
  if (total === undefined) return <SkeletonRows />
  if (total > 0)
    return (
      <FoundTable
        label="All cards"
        count={total}
        rowAt={(index) => ({ kind: 'card', card: cardAt(index) })}
        onSee={see}
      />
    )
  if (Object.keys(query).length > 0)
    return (
      <State
        icon={Layers}
        title="No card matches"
        action={<Button onClick={() => change({})}>Clear filters</Button>}
      >
        No card of this workspace has{' '}
        {Object.entries(filters)
          .map(([name, value]) => `“${name === 'q' ? value : `${name} ${value}`}”`)
          .join(' and ')}
        .
      </State>
    )
  return (
    <State
      icon={Layers}
      title="No cards yet"
      action={
        <Link to={paths.boards} className={buttonClass({ look: 'primary' })}>
          Go to the boards
        </Link>
      }
    >
      The cards of all boards stand here, those that changed last first.
    </State>
  )
}
