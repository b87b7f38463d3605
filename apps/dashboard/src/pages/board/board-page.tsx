import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Columns3 } from 'lucide-react'
import { boardQuery, boardsQuery } from '../../app/boards.ts'
import { paths } from '../../app/paths.ts'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../../ui/states.tsx'
import { CardStatusIcon } from '../../ui/status.tsx'

/** One board, by the key in its address. */
export function BoardPage() {
  const { key = '' } = useParams({ strict: false })
  const boards = useQuery(boardsQuery)
  const found = boards.data?.items.find((board) => board.key === key)
  return (
    <Page title={found?.name ?? key} crumbs={[{ label: 'Boards', to: paths.boards }]}>
      {boards.error && !boards.data ? (
        <ErrorState error={boards.error} what="The board" onRetry={() => void boards.refetch()} />
      ) : found ? (
        <Columns board_id={found.id} />
      ) : boards.data ? (
        <State icon={Columns3} title={`There is no board ${key}`}>
          It may have been archived, or is in another workspace.
        </State>
      ) : (
        <SkeletonRows />
      )}
    </Page>
  )
}

function Columns({ board_id }: { readonly board_id: string }) {
  const { data, error, refetch } = useQuery(boardQuery(board_id))
  if (error && !data) return <ErrorState error={error} what="The board" onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows />
  return (
    <div className="flex min-h-0 grow gap-2.5 overflow-x-auto p-5">
      {data.columns.map(({ id, name, status, card_count, wip_limit }) => (
        <section key={id} aria-label={name} className="min-w-56 grow basis-0">
          <h2 className="flex items-center gap-2 font-medium text-read">
            <CardStatusIcon status={status} label={false} />
            {name}
            <span className="font-normal text-ink-2">
              {card_count}
              {wip_limit === null ? '' : ` of ${wip_limit}`}
            </span>
          </h2>
        </section>
      ))}
    </div>
  )
}
