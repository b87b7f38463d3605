import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import { useNavigate } from '@tanstack/react-router'
import { Filter, Search, X } from 'lucide-react'
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react'
import { useMe } from '../../app/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Menu, MenuCheck, MenuHeading, MenuLine } from '../../ui/menu.tsx'
import { type CardFilters, type FilterName, isChosen, toggled, workerKey } from '../../work/filters.ts'
import { priorityWords, taskTypeWords } from '../../work/words.tsx'

interface FilterRowProps {
  readonly filters: CardFilters
  /** All of the board, shown or not: what they have is what can be chosen. */
  readonly cards: readonly StandardCard[]
  /** Who works, what is ready and what it cost. */
  readonly sentence: ReactNode
  /** A phone has no room for it all the time. */
  readonly isShownOnPhone: boolean
  readonly children?: ReactNode
}

/** What is chosen, in the address: it can be sent to somebody, and the way back undoes it. */
export function FilterRow({ filters, cards, sentence, isShownOnPhone, children }: FilterRowProps) {
  const change = useChangeFilters()
  const { person } = useMe()
  const check = (name: FilterName, value: string, word: string) => (
    <MenuCheck
      key={value}
      checked={isChosen(filters, name, value)}
      onChange={() => change(toggled(filters, name, value))}
    >
      {word}
    </MenuCheck>
  )
  const labels = [...new Set(cards.flatMap((card) => card.labels))].sort()
  const workers = workersOf(cards, String(person.id))
  const words = (name: FilterName, of: readonly { value: string; word: string }[], none: string) =>
    of
      .filter(({ value }) => isChosen(filters, name, value))
      .map(({ word }) => word)
      .join(', ') || none
  return (
    <div
      className={classNames(
        'flex h-11 shrink-0 items-center gap-2 overflow-x-auto px-4 [scrollbar-width:none] md:px-5',
        !isShownOnPhone && 'max-md:hidden',
      )}
    >
      <Menu
        trigger={
          <Chip>
            <Filter size={14} strokeWidth={1.75} aria-hidden />
            Filter
          </Chip>
        }
      >
        <MenuHeading>Priority</MenuHeading>
        {priorityWords.map(({ value, word }) => check('priority', value, word))}
        <MenuLine />
        {check('ready', 'true', 'Ready to claim')}
        {labels.length > 0 && <MenuLine />}
        {labels.length > 0 && <MenuHeading>Labels</MenuHeading>}
        {labels.map((label) => check('label', label, label))}
      </Menu>
      <Menu trigger={<Chip label="Assignee" chosen={words('assignee', workers, 'anyone')} />}>
        {workers.map(({ value, word }) => check('assignee', value, word))}
      </Menu>
      <Menu trigger={<Chip label="Type" chosen={words('type', taskTypeWords, 'any')} />}>
        {taskTypeWords.map(({ value, word }) => check('type', value, word))}
      </Menu>
      {filters.priority !== undefined && (
        <Chosen
          label="Priority"
          value={words('priority', priorityWords, '')}
          onClear={() => change(without(filters, 'priority'))}
        />
      )}
      {filters.label !== undefined && (
        <Chosen
          label="Label"
          value={filters.label.replaceAll(',', ', ')}
          onClear={() => change(without(filters, 'label'))}
        />
      )}
      {filters.ready !== undefined && (
        <Chosen label="Ready" value="to claim" onClear={() => change(without(filters, 'ready'))} />
      )}
      <Find
        text={filters.q ?? ''}
        onFind={(q) => change({ ...without(filters, 'q'), ...(q ? { q } : {}) })}
      />
      <p className="ml-auto hidden shrink-0 text-ink-2 text-meta lg:block">{sentence}</p>
      {children}
    </div>
  )
}

/** Filters replace one another in the history; only the open card is a step. */
export function useChangeFilters() {
  const navigate = useNavigate()
  return (filters: CardFilters) =>
    void navigate({
      to: '.',
      replace: true,
      search: ({ card, view, saved }) => ({
        ...filters,
        ...(card && { card }),
        ...(view && { view }),
        ...(saved && Object.keys(filters).length > 0 && { saved }),
      }),
    })
}

function without(filters: CardFilters, name: FilterName): CardFilters {
  const { [name]: _, ...others } = filters
  return others
}

function workersOf(cards: readonly StandardCard[], me: string) {
  const found = new Map<string, string>()
  for (const { assignee } of cards) if (assignee) found.set(workerKey(assignee), assignee.name)
  found.delete(`member:${me}`)
  const others = [...found].map(([value, word]) => ({ value, word }))
  return [
    { value: 'me', word: 'Me' },
    { value: 'none', word: 'Nobody' },
    ...others.sort((a, b) => a.word.localeCompare(b.word)),
  ]
}

interface ChipProps {
  readonly label?: string
  readonly chosen?: string
  readonly children?: ReactNode
}

export function Chip({
  label,
  chosen,
  children,
  ...trigger
}: ChipProps): ReactElement<Record<string, unknown>> {
  return (
    <button type="button" {...trigger} className={buttonClass({ size: 's' })}>
      {children}
      {label !== undefined && (
        <>
          <span className="font-normal text-ink-2">{label}</span>
          <span className="-ml-1 max-w-40 truncate">{chosen}</span>
        </>
      )}
    </button>
  )
}

interface ChosenProps {
  readonly label: string
  readonly value: string
  readonly onClear: () => void
}

export function Chosen({ label, value, onClear }: ChosenProps) {
  return (
    <span className="inline-flex h-[var(--ch-control-s)] shrink-0 items-center gap-1 rounded-control bg-selected pr-1 pl-2 text-meta">
      <span className="text-ink-2">{label}</span>
      <span className="max-w-40 truncate font-medium">{value}</span>
      <button
        type="button"
        aria-label={`Clear the filter ${label}`}
        onClick={onClear}
        className="flex size-5 items-center justify-center rounded-tag text-ink-2 hover:text-ink"
      >
        <X size={13} aria-hidden />
      </button>
    </span>
  )
}

const typingMs = 200

interface FindProps {
  readonly text: string
  readonly label?: string
  readonly onFind: (text: string) => void
}

export function Find({ text, label = 'Find in this board', onFind }: FindProps) {
  const [typed, setTyped] = useState(text)
  const latest = useRef(onFind)
  latest.current = onFind
  useEffect(() => setTyped(text), [text])
  useEffect(() => {
    if (typed === text) return
    const timer = setTimeout(() => latest.current(typed), typingMs)
    return () => clearTimeout(timer)
  }, [typed, text])
  return (
    <label className="relative hidden shrink-0 md:block">
      <Search
        size={13}
        strokeWidth={1.75}
        className="absolute inset-y-0 left-2 my-auto text-ink-3"
        aria-hidden
      />
      <input
        type="search"
        value={typed}
        aria-label={label}
        placeholder="Find"
        onChange={(event) => setTyped(event.target.value)}
        className="h-[var(--ch-control-s)] w-32 rounded-control border border-transparent bg-transparent pr-2 pl-7 text-meta placeholder:text-ink-3 hover:border-line-strong focus:w-48 focus:border-line-control focus:bg-surface"
      />
    </label>
  )
}
