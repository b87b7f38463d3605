import type { Board } from '@crewhall/contracts/boards/boards.ts'
import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Columns3, Filter, Kanban as KanbanIcon, Plus, Table2 } from 'lucide-react'
import { type ReactNode, Suspense, useCallback, useMemo, useRef, useState } from 'react'
import { boardQuery, boardsQuery, workingQuery } from '../../app/boards.ts'
import { latePart } from '../../app/late.tsx'
import { paths } from '../../app/paths.ts'
import { useMe } from '../../app/session.ts'
import { useCanWrite, useLiveEvents } from '../../live/live.tsx'
import { useKeys } from '../../shell/keys.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { KeyCap } from '../../ui/key-cap.tsx'
import { announce, LiveRegion } from '../../ui/live-region.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, State } from '../../ui/states.tsx'
import { say } from '../../ui/toast.tsx'
import { type BoardCards, mostCards, useBoardCards } from '../../work/board-cards.ts'
import { shownColumns } from '../../work/columns.ts'
import { cardsOf } from '../../work/figures.ts'
import { type CardFilters, filtersOf, matcherOf } from '../../work/filters.ts'
import { queryOf } from '../../work/found-cards.ts'
import { blockerWords } from '../../work/reason.ts'
import { ViewsMenu } from '../../work/views.tsx'
import { BatchDialog, type BatchKind } from './batch-dialog.tsx'
import { BoardMenu } from './board-menu.tsx'
import { useBoardOffer } from './board-offer.ts'
import { CardTable } from './card-table.tsx'
import { FilterRow, useChangeFilters } from './filter-row.tsx'
import { Kanban } from './kanban.tsx'
import { useMoving } from './moving.ts'
import { NewCard } from './new-card.tsx'
import { usePicking } from './picking.ts'
import { useSelection } from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'
import { Sentence } from './sentence.tsx'
import { SkeletonColumns } from './skeleton.tsx'

const CardPanel = latePart(() => import('../card/card-panel.tsx').then(({ CardPanel }) => CardPanel))

/** One board, by the key in its address. */
export function BoardPage() {
  const { key = '' } = useParams({ strict: false })
  const boards = useQuery(boardsQuery)
  const found = boards.data?.items.find((board) => board.key === key)
  if (found) return <OneBoard key={found.id} board_id={found.id} name={found.name} />
  return (
    <BoardFrame title={key}>
      {boards.error && !boards.data ? (
        <ErrorState error={boards.error} what="The board" onRetry={() => void boards.refetch()} />
      ) : boards.data ? (
        <State icon={Columns3} title={`There is no board ${key}`}>
          It may have been archived, or is in another workspace.
        </State>
      ) : (
        <SkeletonColumns />
      )}
    </BoardFrame>
  )
}

interface FrameProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

function BoardFrame({ title, actions, children }: FrameProps) {
  return (
    <Page title={title} crumbs={[{ label: 'Boards', to: paths.boards }]} actions={actions}>
      {children}
    </Page>
  )
}

function OneBoard({ board_id, name }: { readonly board_id: string; readonly name: string }) {
  const board = useQuery(boardQuery(board_id))
  const cards = useBoardCards(board_id)
  const error = board.error ?? cards.error
  if (board.data && cards.data) return <ShownBoard board={board.data} known={cards.data} />
  return (
    <BoardFrame title={name}>
      {error ? (
        <ErrorState
          error={error}
          what="The board"
          onRetry={() => {
            void board.refetch()
            void cards.refetch()
          }}
        />
      ) : (
        <SkeletonColumns />
      )}
    </BoardFrame>
  )
}

function ShownBoard({ board, known }: { readonly board: Board; readonly known: BoardCards }) {
  const search = useSearch({ strict: false })
  const { person } = useMe()
  const canWrite = useCanWrite()
  const [adding, setAdding] = useState<string>()
  const navigate = useNavigate()
  const filters = filtersOf(search)
  const filterText = JSON.stringify(filters)
  // A phone shows them when asked, or while they hide cards.
  const [areFiltersShown, setFiltersShown] = useState(filterText !== '{}')
  const columns = useMemo(
    () => shownColumns(board, known.cards.values(), matcherOf(JSON.parse(filterText), String(person.id))),
    [board, known.cards, filterText, person.id],
  )
  const all = useMemo(() => [...known.cards.values()], [known.cards])
  const working = useWorking(board.id)
  const afterOf = useCallback((card: StandardCard) => blockerWords(card, known.cards), [known.cards])
  const moving = useMoving(columns)
  const { picked, pickedIds, pick, pickAll, clear } = usePicking(columns)
  const { select, ...selection } = useSelection(moving.shown, moving, pick)
  const [deed, setDeed] = useState<BatchKind>()
  /** Selected when the dialog that made it is gone. */
  const made = useRef<string>(undefined)
  const selectMade = () => {
    if (made.current !== undefined) select(made.current)
    made.current = undefined
  }
  const latest = useRef(moving)
  latest.current = moving
  const onSpace = useCallback((card: StandardCard) => {
    const { lifted, lift, drop } = latest.current
    if (lifted) drop()
    else lift(card)
  }, [])
  useTold(board.id)
  const order = useMemo(() => columns.flatMap(({ cards }) => cards.map(({ ref }) => ref)), [columns])
  const closed = (ref: string) => {
    const card = all.find((each) => each.ref === ref)
    if (card) select(card.id)
  }
  const add = useCallback((column: string) => setAdding(column), [])
  const firstColumn = board.columns[0]?.id
  const isTable = search.view === 'table'
  const turn = () =>
    void navigate({
      to: '.',
      replace: true,
      search: ({ view, ...rest }) => ({ ...rest, ...(view ? {} : { view: 'table' as const }) }),
    })
  const selected = selection.selectedId === undefined ? undefined : known.cards.get(selection.selectedId)
  const chosen = picked.length > 0 ? picked : selected ? [selected] : []
  const act = (kind: BatchKind) => () => chosen.length > 0 && setDeed(kind)
  useBoardOffer(board, canWrite ? selected : undefined, setDeed)
  useKeys({
    ...(canWrite && firstColumn
      ? {
          c: () => setAdding(firstColumn),
          m: act('move'),
          a: act('assign'),
          p: act('profile'),
          t: act('tags'),
          s: act('status'),
        }
      : {}),
    v: turn,
    ...(picked.length > 0 && !moving.lifted ? { Escape: clear } : {}),
  })
  const shown = columns.reduce((sum, { cards }) => sum + cards.length, 0)
  return (
    <BoardFrame
      title={board.name}
      actions={
        <>
          <IconButton
            label="Filters and views"
            aria-expanded={areFiltersShown}
            className="md:hidden"
            onClick={() => setFiltersShown(!areFiltersShown)}
          >
            <Filter size={17} strokeWidth={1.75} aria-hidden />
          </IconButton>
          <ViewSwitch isTable={isTable} />
          <Button
            look="primary"
            disabled={!canWrite}
            title={canWrite ? undefined : 'The server cannot be reached'}
            onClick={() => setAdding(firstColumn)}
          >
            <Plus size={15} aria-hidden />
            <span className="hidden md:inline">New card</span>
            <span className="sr-only md:hidden">New card</span>
            <span className="hidden md:inline-flex">
              <KeyCap onInk>C</KeyCap>
            </span>
          </Button>
        </>
      }
    >
      <FilterRow
        filters={filters}
        cards={all}
        isShownOnPhone={areFiltersShown}
        sentence={<Sentence board_id={board.id} cards={all} working={[...working.values()]} />}
      >
        <ViewsMenu place={board.id} filters={queryOf({ ...filters, board: board.key }, [board])} />
        <BoardMenu board={board} />
      </FilterRow>
      {known.is_whole && all.length === 0 ? (
        <NoCards board={board} canWrite={canWrite} onAdd={() => setAdding(firstColumn)} />
      ) : shown === 0 && all.length > 0 ? (
        <NoneShown hidden={all.length} filters={filters} />
      ) : isTable ? (
        <CardTable
          columns={columns}
          working={working}
          afterOf={afterOf}
          pickedIds={pickedIds}
          onPick={pick}
          onPickAll={(isPicked) => (isPicked ? pickAll() : clear())}
          {...selection}
        />
      ) : (
        <Kanban
          columns={moving.shown}
          liftedId={moving.lifted?.card.id}
          onSpace={onSpace}
          working={working}
          afterOf={afterOf}
          canWrite={canWrite}
          onAdd={add}
          pickedIds={pickedIds}
          onPick={pick}
          {...selection}
        />
      )}
      {!known.is_whole && known.cards.size >= mostCards && (
        <p className="shrink-0 bg-warn-bg px-5 py-1.5 text-meta text-warn">
          This board has {cardsOf(board.card_count)}; the first {cardsOf(mostCards)} are shown.
        </p>
      )}
      <NewCard
        board={board}
        column={adding}
        onClose={() => setAdding(undefined)}
        onClosed={selectMade}
        onMade={(id, ref) => {
          made.current = id
          say(`${ref} created`, {
            offer: {
              label: 'Open',
              onClick: () => void navigate({ to: '.', search: (before) => ({ ...before, card: ref }) }),
            },
          })
        }}
      />
      <SelectionBar count={picked.length} canWrite={canWrite} onDo={setDeed} onClear={clear} />
      <BatchDialog
        board={board}
        kind={deed}
        cards={chosen}
        onClose={() => {
          made.current = selection.selectedId
          setDeed(undefined)
        }}
        onClosed={selectMade}
        onDone={clear}
      />
      <Suspense>
        <CardPanel order={order} onClosed={closed} />
      </Suspense>
      <LiveRegion />
    </BoardFrame>
  )
}

/** Says what others do to the board. */
function useTold(board_id: string): void {
  const { person } = useMe()
  useLiveEvents(({ board_id: of, type, data }) => {
    if (of !== board_id || type !== 'task.moved') return
    const { actor, ref } = data as { actor?: { id?: string; name?: string }; ref?: string }
    if (actor?.id !== String(person.id)) announce(`${actor?.name ?? 'Somebody'} moved ${ref ?? 'a card'}`)
  })
}

function useWorking(board_id: string) {
  const { data } = useQuery(workingQuery)
  return useMemo(
    () =>
      new Map(
        data?.items.filter((card) => card.board_id === board_id).map((card) => [card.id, card] as const),
      ),
    [data, board_id],
  )
}

const switchClass = (isOn: boolean) =>
  classNames(
    'inline-flex h-6.5 items-center gap-1.5 rounded-[5px] px-2.5 font-medium',
    isOn ? 'bg-surface text-ink shadow-card' : 'text-ink-2 hover:text-ink',
  )

function ViewSwitch({ isTable }: { readonly isTable: boolean }) {
  return (
    <nav
      aria-label="View"
      className="hidden h-7.5 items-center rounded-control border border-line bg-sunken p-px md:flex"
    >
      <Link
        to="."
        replace
        search={({ view: _, ...rest }) => rest}
        aria-current={isTable ? undefined : 'true'}
        className={switchClass(!isTable)}
      >
        <KanbanIcon size={14} strokeWidth={1.75} aria-hidden />
        Board
      </Link>
      <Link
        to="."
        replace
        search={(before) => ({ ...before, view: 'table' as const })}
        aria-current={isTable ? 'true' : undefined}
        className={switchClass(isTable)}
      >
        <Table2 size={14} strokeWidth={1.75} aria-hidden />
        Table
      </Link>
    </nav>
  )
}

interface NoCardsProps {
  readonly board: Board
  readonly canWrite: boolean
  readonly onAdd: () => void
}

function NoCards({ board, canWrite, onAdd }: NoCardsProps) {
  return (
    <State
      icon={KanbanIcon}
      title="No cards yet"
      action={
        <Button look="primary" disabled={!canWrite} onClick={onAdd}>
          Create a card
        </Button>
      }
    >
      A card is one piece of work on {board.name}, for a person or an agent.
    </State>
  )
}

/** `Type design`. */
const filterWords = (name: string, value: string): string =>
  `${name.slice(0, 1).toUpperCase()}${name.slice(1)} ${value.replaceAll(',', ', ')}`

function NoneShown({ hidden, filters }: { readonly hidden: number; readonly filters: CardFilters }) {
  const change = useChangeFilters()
  return (
    <State
      icon={Filter}
      title="No card matches"
      action={<Button onClick={() => change({})}>Clear filters</Button>}
    >
      {cardsOf(hidden)} {hidden === 1 ? 'is' : 'are'} hidden by{' '}
      {Object.entries(filters)
        .map(([name, value]) => `“${name === 'q' ? value : filterWords(name, value)}”`)
        .join(' and ')}
      .
    </State>
  )
}
