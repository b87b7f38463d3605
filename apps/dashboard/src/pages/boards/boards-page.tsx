import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LayoutGrid, Plus } from 'lucide-react'
import { useState } from 'react'
import { boardsQuery, workingQuery } from '../../app/boards.ts'
import { toBoard } from '../../app/paths.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../../ui/states.tsx'
import { NewBoard } from './new-board.tsx'

export function BoardsPage() {
  const [isAdding, setAdding] = useState(false)
  return (
    <Page
      title="Boards"
      actions={
        <Button look="primary" onClick={() => setAdding(true)}>
          <Plus size={15} aria-hidden />
          New board
        </Button>
      }
    >
      <Boards onAdd={() => setAdding(true)} />
      <NewBoard open={isAdding} onOpenChange={setAdding} />
    </Page>
  )
}

function Boards({ onAdd }: { readonly onAdd: () => void }) {
  const { data, error, refetch } = useQuery(boardsQuery)
  const working = useQuery(workingQuery).data?.items ?? []
  const now = useNow()
  if (error && !data) return <ErrorState error={error} what="The boards" onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows />
  if (data.items.length === 0)
    return (
      <State
        icon={LayoutGrid}
        title="No boards yet"
        action={
          <Button look="primary" onClick={onAdd}>
            Make a board
          </Button>
        }
      >
        A board holds the cards that people and agents work on.
      </State>
    )
  return (
    <div className="p-4 md:p-5">
      <div className="overflow-hidden rounded-card border border-line bg-surface">
        <table className="w-full table-fixed">
          <thead>
            <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
              <th className="w-18 px-4 font-medium">Key</th>
              <th className="px-4 font-medium">Name</th>
              <th className="hidden w-28 px-4 text-right font-medium md:table-cell">At work</th>
              <th className="w-24 px-4 text-right font-medium">Cards</th>
              <th className="hidden w-36 px-4 text-right font-medium md:table-cell">Changed</th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {data.items.map(({ id, key, name, card_count, updated_at, description }) => {
              const count = working.filter(({ board_id }) => board_id === id).length
              return (
                <tr key={id} className="relative h-[var(--ch-row-2)] hover:bg-hover">
                  <td className="px-4 font-mono text-ink-2 text-meta">{key}</td>
                  <td className="px-4">
                    <Link
                      {...toBoard(key)}
                      className="block truncate font-medium after:absolute after:inset-0"
                    >
                      {name}
                    </Link>
                    {description !== '' && (
                      <span className="block truncate text-ink-2 text-meta">{description}</span>
                    )}
                  </td>
                  <td className="hidden px-4 text-right md:table-cell">
                    {count > 0 ? <span className="text-live">{count}</span> : '–'}
                  </td>
                  <td className="px-4 text-right">{card_count}</td>
                  <td className="hidden px-4 text-right text-ink-2 md:table-cell" title={updated_at}>
                    {whenTold(updated_at, now)}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </div>
  )
}
