import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { WorkingCard } from '@crewhall/contracts/boards/working-now.ts'
import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, GitBranch, Hourglass, OctagonMinus, Zap } from 'lucide-react'
import { useEffect, useState } from 'react'
import { shortSpan, useNow, whenTold } from '../../app/times.ts'
import { classNames } from '../../ui/class-names.ts'
import { PickBox } from '../../ui/pick-box.tsx'
import { CardStatusIcon } from '../../ui/status.tsx'
import { usePhone } from '../../ui/use-wide.ts'
import { useSpan, WindowedTable } from '../../ui/windowed-table.tsx'
import type { ShownColumn } from '../../work/columns.ts'
import { moneyOf } from '../../work/figures.ts'
import { InlineText } from '../../work/inline-text.tsx'
import { nowLine } from '../../work/reason.ts'
import { Face } from '../../work/who.tsx'
import { PriorityIcon, PullRequest } from '../../work/words.tsx'
import { countText } from './board-column.tsx'
import type { Pick } from './picking.ts'

interface CardTableProps {
  readonly columns: readonly ShownColumn[]
  readonly working: ReadonlyMap<string, WorkingCard>
  /** What a card waits for. */
  readonly afterOf: (card: StandardCard) => string
  readonly selectedId: string | undefined
  readonly focusTurn: number
  readonly pickedIds: ReadonlySet<string>
  readonly onPick: Pick
  readonly onPickAll: (isPicked: boolean) => void
}

type Row =
  | { readonly kind: 'group'; readonly shown: ShownColumn; readonly isShut: boolean }
  | { readonly kind: 'card'; readonly card: StandardCard }

const cell = 'overflow-hidden px-2 text-ellipsis whitespace-nowrap'

/** The board as rows, grouped like its columns. The same cards, in the same order; of two lines on a phone. */
export function CardTable(props: CardTableProps) {
  const height = usePhone() ? 56 : 38
  return <Rows key={height} height={height} {...props} />
}

function Rows({
  columns,
  working,
  afterOf,
  selectedId,
  focusTurn,
  pickedIds,
  onPick,
  onPickAll,
  height,
}: CardTableProps & { readonly height: number }) {
  const [shut, setShut] = useState<ReadonlySet<string>>(new Set())
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const now = useNow()
  const rows = columns.flatMap((shown): readonly Row[] => {
    const isShut = shut.has(shown.column.id)
    if (shown.cards.length === 0) return []
    const cards = isShut ? [] : shown.cards.map((card) => ({ kind: 'card', card }) as const)
    return [{ kind: 'group', shown, isShut }, ...cards]
  })
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => (rows[index]?.kind === 'group' ? 32 : height),
    overscan: 8,
  })
  const items = list.getVirtualItems()
  const [above, below] = [items[0]?.start ?? 0, list.getTotalSize() - (items.at(-1)?.end ?? 0)]
  const at = rows.findIndex((row) => row.kind === 'card' && row.card.id === selectedId)
  useEffect(() => {
    if (focusTurn === 0 || at < 0 || !scroller) return
    list.scrollToIndex(at, { align: 'auto' })
    requestAnimationFrame(() =>
      scroller.querySelector<HTMLElement>('[data-selected] a')?.focus({ preventScroll: true }),
    )
  }, [focusTurn, at, scroller, list.scrollToIndex])
  const count = columns.reduce((sum, { cards }) => sum + cards.length, 0)
  const isAllPicked = count > 0 && pickedIds.size === count
  const toggle = (id: string) =>
    setShut((before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id]))
  return (
    <WindowedTable
      label="Cards"
      rowCount={rows.length}
      scrollerRef={setScroller}
      above={above}
      below={below}
      columns={[
        {
          name: 'Card',
          width: 'w-27',
          from: 'md',
          look: 'relative pl-10!',
          mark: (
            <PickBox
              label="Select all"
              checked={isAllPicked}
              isAlwaysShown
              className="absolute inset-y-0 left-2 my-auto"
              onChange={() => onPickAll(!isAllPicked)}
            />
          ),
        },
        { name: 'Title' },
        { name: 'Assignee', width: 'w-29', from: 'md' },
        { name: 'Now', width: 'w-56', from: 'lg' },
        { name: 'Delivery', width: 'w-42', from: 'xl' },
        { name: 'Cost', width: 'w-18', from: 'md', atEnd: true },
        { name: 'Changed', width: 'w-26', from: 'md', atEnd: true, look: 'pr-4!' },
      ]}
    >
      {items.map(({ index }) => {
        const row = rows[index]
        if (row?.kind === 'group')
          return (
            <GroupRow
              key={row.shown.column.id}
              shown={row.shown}
              isShut={row.isShut}
              onToggle={() => toggle(row.shown.column.id)}
            />
          )
        return (
          row && (
            <CardRow
              key={row.card.id}
              card={row.card}
              working={working.get(row.card.id)}
              after={row.card.open_blockers > 0 ? afterOf(row.card) : ''}
              isSelected={row.card.id === selectedId}
              isPicked={pickedIds.has(row.card.id)}
              onPick={onPick}
              now={now}
            />
          )
        )
      })}
    </WindowedTable>
  )
}

interface GroupRowProps {
  readonly shown: ShownColumn
  readonly isShut: boolean
  readonly onToggle: () => void
}

function GroupRow({ shown, isShut, onToggle }: GroupRowProps) {
  const { column } = shown
  const span = useSpan(7)
  return (
    <tr className="h-8 bg-canvas">
      <th colSpan={span} scope="rowgroup" className="border-line border-b px-3 text-left font-medium">
        <button
          type="button"
          aria-expanded={!isShut}
          onClick={onToggle}
          className="flex max-w-full items-center gap-2 rounded-tag"
        >
          <ChevronDown
            size={14}
            className={classNames('shrink-0 text-ink-2', isShut && '-rotate-90')}
            aria-hidden
          />
          <CardStatusIcon status={column.status} label={false} />
          <span className="truncate" title={column.name} dir="auto">
            {column.name}
          </span>
          <span className="shrink-0 font-normal text-ink-2">{countText(shown)}</span>
        </button>
      </th>
    </tr>
  )
}

interface CardRowProps {
  readonly card: StandardCard
  readonly working: WorkingCard | undefined
  readonly after: string
  readonly isSelected: boolean
  readonly isPicked: boolean
  readonly onPick: Pick
  readonly now: number
}

function CardRow({ card, working, after, isSelected, isPicked, onPick, now }: CardRowProps) {
  const { claim } = card
  // While somebody works on a card, that is who matters here; the panel has both.
  const who = claim?.holder ?? card.assignee
  const cost = Math.max(card.usage_cost_micros, working?.usage.cost_micros ?? 0)
  return (
    <tr
      data-card={card.ref}
      data-selected={isSelected || undefined}
      className={classNames(
        'group relative h-14 *:border-line *:border-b md:h-[38px]',
        isSelected || isPicked ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <td className={classNames(cell, 'hidden pl-10! font-mono text-ink-2 text-micro md:table-cell')}>
        <PickBox
          label={`Select ${card.ref}`}
          checked={isPicked}
          isAlwaysShown
          className="absolute inset-y-0 left-2 z-1 my-auto"
          onChange={(isRange) => onPick(card, isRange ? 'range' : 'one')}
        />
        {card.ref}
      </td>
      <td className={classNames(cell, 'max-md:px-4')}>
        <span className="flex items-center gap-2">
          <PriorityIcon priority={card.priority} />
          <Link
            to="."
            search={(before) => ({ ...before, card: card.ref })}
            preload={false}
            title={card.title}
            onClick={(event) => {
              if (!event.shiftKey) return
              event.preventDefault()
              onPick(card, 'range')
            }}
            className="truncate font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:-outline-offset-2"
            dir="auto"
          >
            <InlineText text={card.title} />
          </Link>
        </span>
        <span className="flex items-center gap-2 text-meta md:hidden">
          <span className="shrink-0 font-mono text-ink-2 text-micro">{card.ref}</span>
          {who && <Face who={who} isWorking={claim !== null} />}
          <span className="min-w-0">
            <Now card={card} working={working} after={after} now={now} />
          </span>
        </span>
      </td>
      <td className={classNames(cell, 'hidden md:table-cell')}>
        {who ? (
          <span className="flex items-center gap-2" title={who.name}>
            <Face who={who} isWorking={claim !== null} />
            <span className="truncate">{who.kind === 'member' ? who.name.split(' ', 1)[0] : who.name}</span>
          </span>
        ) : (
          <span className="text-ink-2">Nobody</span>
        )}
      </td>
      <td className={classNames(cell, 'hidden lg:table-cell')}>
        <Now card={card} working={working} after={after} now={now} />
      </td>
      <td className={classNames(cell, 'hidden xl:table-cell')}>
        {card.pr_number === null && card.branch === null ? (
          <span className="text-ink-2">–</span>
        ) : (
          <span className="flex items-center gap-2 text-meta">
            {card.pr_number === null ? (
              <GitBranch size={13} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
            ) : (
              <PullRequest number={card.pr_number} state={card.pr_state} />
            )}
            <span
              className="relative truncate font-mono text-ink-2 text-micro"
              title={card.branch ?? undefined}
            >
              {card.branch}
            </span>
          </span>
        )}
      </td>
      <td className={classNames(cell, 'hidden text-right md:table-cell')}>
        {cost > 0 ? moneyOf(cost) : <span className="text-ink-2">–</span>}
      </td>
      <td
        className={classNames(cell, 'hidden pr-4! text-right text-ink-2 text-meta md:table-cell')}
        title={card.updated_at}
      >
        {whenTold(card.updated_at, now)}
      </td>
    </tr>
  )
}

const nowTones = { live: 'text-live', bad: 'text-bad', warn: 'text-warn', idle: 'text-ink-2' } as const

function Now({ card, working, after, now }: Omit<CardRowProps, 'isSelected' | 'isPicked' | 'onPick'>) {
  const { tone, text } = nowLine(card, working, after, now)
  const Icon = tone === 'bad' ? OctagonMinus : card.is_ready && tone === 'idle' ? Zap : Hourglass
  return (
    <span className={classNames('flex items-center gap-2', nowTones[tone])}>
      {tone === 'live' ? (
        <span className="mx-1 size-1.5 shrink-0 animate-pulse-live rounded-full bg-live-mark" aria-hidden />
      ) : (
        text !== '–' && <Icon size={14} strokeWidth={1.75} className="shrink-0" aria-hidden />
      )}
      <span className="relative truncate" dir="auto" title={text}>
        {text}
      </span>
      {working && (
        <span className="shrink-0 text-ink-2 text-meta">
          {shortSpan(now - Date.parse(working.claimed_at))}
        </span>
      )}
    </span>
  )
}
