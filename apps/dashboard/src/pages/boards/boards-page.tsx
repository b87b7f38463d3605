import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { LayoutGrid, Plus } from 'lucide-react'
import { useState } from 'react'
import { boardsQuery, workingQuery } from '../../app/boards.ts'
import { toBoard } from '../../app/paths.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { State } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { NewBoard } from './new-board.tsx'

export function BoardsPage() {
  const [isAdding, setAdding] = useState(false)
  const canWrite = useCanWrite()
  return (
    <Page
      title="Boards"
      actions={
        <Button look="primary" disabled={!canWrite} onClick={() => setAdding(true)}>
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
  return (
    <div className="p-4 md:p-5">
      <Table
        read={{ what: 'The boards', error, refetch }}
        rows={data?.items}
        keyOf={({ id }) => id}
        lines={2}
        isLinked
        empty={
          <State
            icon={LayoutGrid}
            title="No boards yet"
            action={
              <Button look="primary" onClick={onAdd}>
                Make a board
              </Button>
            }
            command="crewhall board create DSP Dispatch"
          >
            A board holds the cards that people and agents work on.
          </State>
        }
        columns={[
          { name: 'Key', width: 'w-18', look: 'font-mono text-ink-2 text-meta', cell: ({ key }) => key },
          {
            name: 'Name',
            cell: ({ key, name, description }) => (
              <>
                <Link {...toBoard(key)} className="block truncate font-medium after:absolute after:inset-0">
                  {name}
                </Link>
                {description !== '' && (
                  <span className="block text-ink-2 text-meta md:truncate">{description}</span>
                )}
              </>
            ),
          },
          {
            name: 'At work',
            width: 'w-28',
            from: 'md',
            atEnd: true,
            cell: ({ id }) => {
              const count = working.filter(({ board_id }) => board_id === id).length
              return count > 0 ? <span className="text-live">{count}</span> : '–'
            },
          },
          { name: 'Cards', width: 'w-24', atEnd: true, cell: ({ card_count }) => card_count },
          {
            name: 'Changed',
            width: 'w-36',
            from: 'md',
            atEnd: true,
            look: 'text-ink-2',
            title: ({ updated_at }) => updated_at,
            cell: ({ updated_at }) => whenTold(updated_at, now),
          },
        ]}
      />
    </div>
  )
}
