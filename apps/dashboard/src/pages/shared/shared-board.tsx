import type { Column } from '@crewhall/contracts/boards/boards.ts'
import type { SharedBoard as Board } from '@crewhall/contracts/boards/shared.ts'
import type { SharedListedCard } from '@crewhall/contracts/boards/shared-cards.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Kanban, Plus } from 'lucide-react'
import { useState } from 'react'
import { isGone } from '../../api/problem.ts'
import { paths } from '../../app/paths.ts'
import { mayWrite } from '../../app/shared.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, State } from '../../ui/states.tsx'
import { CardStatusIcon } from '../../ui/status.tsx'
import { tileClass } from '../../work/card-tile.tsx'
import { roleWord } from '../../work/guest-roles.ts'
import { SkeletonColumns } from '../board/skeleton.tsx'
import { NewSharedCard } from './new-shared-card.tsx'
import { sharedBoardQuery, sharedCardsQuery } from './shared-board-data.ts'
import { SharedCardPanel } from './shared-card.tsx'
import { SharedTile } from './shared-tile.tsx'

/** A board of another workspace, with what a guest may see and do there. */
export function SharedBoardPage() {
  const { board: board_id = '' } = useParams({ strict: false })
  const board = useQuery(sharedBoardQuery(board_id))
  const cards = useQuery(sharedCardsQuery(board_id))
  const isOnline = useCanWrite()
  const [isAdding, setAdding] = useState(false)
  const canAdd = board.data !== undefined && mayWrite(board.data.role) && board.data.archived_at === null
  // Access that has ended closes the page, although the board is still known.
  const error = isGone(board.error) || !board.data ? board.error : cards.data ? null : cards.error
  return (
    <Page
      title={board.data?.name ?? 'Board'}
      crumbs={[{ label: 'Shared with you', to: paths.shared }]}
      actions={
        board.data &&
        !error && (
          <>
            <span className="rounded-full bg-idle-bg px-2 text-idle text-meta">
              {roleWord(board.data.role)}
            </span>
            {canAdd && (
              <Button look="primary" disabled={!isOnline} onClick={() => setAdding(true)}>
                <Plus size={15} aria-hidden />
                New card
              </Button>
            )}
          </>
        )
      }
    >
      {error ? (
        <ErrorState error={error} what="The board" onRetry={() => void board.refetch()} />
      ) : board.data && cards.data ? (
        <>
          {board.data.archived_at !== null && (
            <p className="shrink-0 bg-warn-bg px-5 py-1.5 text-meta text-warn">
              This board is archived: it can be read, and nothing on it changes.
            </p>
          )}
          {cards.data.total === 0 ? (
            <State icon={Kanban} title="No cards yet">
              {canAdd ? 'Create the first one.' : 'Cards show up here as they are made.'}
            </State>
          ) : (
            <Columns board={board.data} cards={cards.data.cards} />
          )}
          {cards.data.total > cards.data.cards.length && (
            <p className="shrink-0 bg-warn-bg px-5 py-1.5 text-meta text-warn">
              The first {cards.data.cards.length} of {cards.data.total} cards are shown.
            </p>
          )}
          {canAdd && <NewSharedCard board={board.data} open={isAdding} onOpenChange={setAdding} />}
          <SharedCardPanel board={board.data} />
        </>
      ) : (
        <SkeletonColumns />
      )}
    </Page>
  )
}

interface ColumnsProps {
  readonly board: Board
  readonly cards: readonly SharedListedCard[]
}

/** Side by side; on a phone one below the other. */
function Columns({ board, cards }: ColumnsProps) {
  const of = Map.groupBy(cards, ({ column }) => column.id)
  return (
    <div className="flex min-h-0 grow flex-col gap-4 overflow-auto p-4 md:flex-row md:gap-2.5 md:px-5 md:pt-2 md:pb-0">
      {board.columns.map((column) => (
        <OneColumn key={column.id} column={column} cards={of.get(column.id) ?? []} />
      ))}
    </div>
  )
}

/** As many tiles as somebody looks at; more on demand. */
const atOnce = 50

function OneColumn({
  column,
  cards,
}: {
  readonly column: Column
  readonly cards: readonly SharedListedCard[]
}) {
  const [most, setMost] = useState(atOnce)
  return (
    <section
      aria-label={column.name}
      className="flex shrink-0 flex-col md:min-h-0 md:w-56 md:min-w-56 md:shrink md:grow md:basis-0"
    >
      <h2 className="flex h-9 shrink-0 items-center gap-2 pl-1 font-medium">
        <CardStatusIcon status={column.status} label={false} />
        <span className="truncate" title={column.name}>
          {column.name}
        </span>
        <span className="font-normal text-ink-2">{cards.length}</span>
      </h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <ul tabIndex={0} className="flex min-h-0 flex-col gap-2.25 overflow-y-auto p-px md:pb-4">
        {cards.slice(0, most).map((card) => (
          <li key={card.id} data-card={card.ref}>
            <Link
              to="."
              search={(before) => ({ ...before, card: card.ref })}
              preload={false}
              className={tileClass(false)}
            >
              <SharedTile card={card} />
            </Link>
          </li>
        ))}
        {cards.length > most && (
          <li>
            <Button className="w-full" onClick={() => setMost(most + atOnce)}>
              Show more of {cards.length - most}
            </Button>
          </li>
        )}
      </ul>
    </section>
  )
}
