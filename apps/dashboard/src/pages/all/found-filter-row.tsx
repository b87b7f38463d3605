import { cardStatuses } from '@crewhall/contracts/boards/card-fields.ts'
import type { CardFacets } from '@crewhall/contracts/boards/filters.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Filter } from 'lucide-react'
import type { ReactNode } from 'react'
import { boardsQuery } from '../../app/boards.ts'
import { Menu, MenuCheck, MenuHeading, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { cardStatusWord } from '../../ui/status.tsx'
import { isChosen, toggled } from '../../work/filters.ts'
import { type FoundFilters, facetsQuery } from '../../work/found-cards.ts'
import { priorityWords, taskTypeWords } from '../../work/words.tsx'
import { Chip, Chosen, Find } from '../board/filter-row.tsx'

type Name = keyof FoundFilters
interface Choice {
  readonly value: string
  readonly word: string
}

/** What an address may sort by; without it, the most recently changed come first. */
const sortWords: readonly Choice[] = [
  { value: '', word: 'Changed' },
  { value: '-created', word: 'Created' },
  { value: '-priority', word: 'Priority' },
  { value: 'due', word: 'Due first' },
  { value: 'title', word: 'Title' },
]
const statusWords: readonly Choice[] = cardStatuses.map((value) => ({ value, word: cardStatusWord(value) }))

interface FoundFilterRowProps {
  readonly filters: FoundFilters
  readonly sentence: ReactNode
  readonly children?: ReactNode
}

/** The filters of a board over all of them, in the address. What can be chosen is what the cards of the workspace have. */
export function FoundFilterRow({ filters, sentence, children }: FoundFilterRowProps) {
  const change = useChangeFound()
  const boards = useQuery(boardsQuery).data?.items ?? []
  const { data: facets = {} } = useQuery(facetsQuery({}))
  const boardWords = boards.map(({ key, name }) => ({ value: key, word: name }))
  const workers = workersOf(facets)
  const labels = (facets.label ?? []).map(({ value }) => ({ value, word: value }))
  const words = (name: Name, of: readonly Choice[], none: string) =>
    of
      .filter(({ value }) => isChosen(filters, name as 'q', value))
      .map(({ word }) => word)
      .join(', ') || none
  const checks = (name: Name, of: readonly Choice[]) =>
    of.map(({ value, word }) => (
      <MenuCheck
        key={value}
        checked={isChosen(filters, name as 'q', value)}
        onChange={() => change(toggled(filters, name as 'q', value))}
      >
        {word}
      </MenuCheck>
    ))
  const only = (name: 'status' | 'sort', of: readonly Choice[]) =>
    of.map(({ value, word }) => (
      <MenuItem
        key={value}
        isChosen={(filters[name] ?? '') === value}
        onSelect={() => change({ ...without(filters, name), ...(value === '' ? {} : { [name]: value }) })}
      >
        {word}
      </MenuItem>
    ))
  const cleared = (name: Name, label: string, of: readonly Choice[]) =>
    filters[name] !== undefined && (
      <Chosen
        label={label}
        value={words(name, of, filters[name])}
        onClear={() => change(without(filters, name))}
      />
    )
  return (
    <div className="flex h-11 shrink-0 items-center gap-2 overflow-x-auto px-4 [scrollbar-width:none] md:px-5">
      <Menu
        trigger={
          <Chip>
            <Filter size={14} strokeWidth={1.75} aria-hidden />
            Filter
          </Chip>
        }
      >
        <MenuHeading>Priority</MenuHeading>
        {checks('priority', priorityWords)}
        {labels.length > 0 && <MenuLine />}
        {labels.length > 0 && <MenuHeading>Labels</MenuHeading>}
        {checks('label', labels)}
      </Menu>
      <Menu trigger={<Chip label="Board" chosen={words('board', boardWords, 'any')} />}>
        {checks('board', boardWords)}
      </Menu>
      <Menu trigger={<Chip label="State" chosen={words('status', statusWords, 'any')} />}>
        {only('status', [{ value: '', word: 'Any' }, ...statusWords])}
      </Menu>
      <Menu trigger={<Chip label="Assignee" chosen={words('assignee', workers, 'anyone')} />}>
        {checks('assignee', workers)}
      </Menu>
      <Menu trigger={<Chip label="Type" chosen={words('type', taskTypeWords, 'any')} />}>
        {checks('type', taskTypeWords)}
      </Menu>
      <Menu
        trigger={
          <Chip
            label="Sort"
            chosen={sortWords.find(({ value }) => value === (filters.sort ?? ''))?.word ?? ''}
          />
        }
      >
        {only('sort', sortWords)}
      </Menu>
      {cleared('priority', 'Priority', priorityWords)}
      {cleared('label', 'Label', labels)}
      <Find
        text={filters.q ?? ''}
        label="Find in all cards"
        onFind={(q) => change({ ...without(filters, 'q'), ...(q ? { q } : {}) })}
      />
      <p className="ml-auto hidden shrink-0 text-ink-2 text-meta lg:block">{sentence}</p>
      {children}
    </div>
  )
}

/** Filters replace one another in the history; only the open card is a step. */
export function useChangeFound() {
  const navigate = useNavigate()
  return (filters: FoundFilters) =>
    void navigate({
      to: '.',
      replace: true,
      search: ({ card, saved }) => ({
        ...filters,
        ...(card && { card }),
        // Without any filter it is no longer that view.
        ...(saved && Object.keys(filters).length > 0 && { saved }),
      }),
    })
}

function without(filters: FoundFilters, name: Name): FoundFilters {
  const { [name]: _, ...others } = filters
  return others
}

function workersOf({ assignee = [] }: CardFacets): readonly Choice[] {
  const found = assignee
    .filter(({ value }) => value !== 'none')
    .map(({ value, name }) => ({ value, word: name }))
  return [{ value: 'me', word: 'Me' }, { value: 'none', word: 'Nobody' }, ...found]
}
