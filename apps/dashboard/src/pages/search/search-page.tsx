import { cardStatuses } from '@crewhall/contracts/boards/card-fields.ts'
import type { CardFacets } from '@crewhall/contracts/boards/filters.ts'
import { useQuery } from '@tanstack/react-query'
import { Search as SearchIcon } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { boardsQuery } from '../../app/boards.ts'
import { latePart } from '../../app/late.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { LiveRegion } from '../../ui/live-region.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../../ui/states.tsx'
import { cardStatusWord } from '../../ui/status.tsx'
import { cardsOf } from '../../work/figures.ts'
import { isChosen, toggled } from '../../work/filters.ts'
import {
  type BoardName,
  type FoundFilters,
  type FoundQuery,
  facetsQuery,
  queryOf,
  useFoundPages,
} from '../../work/found-cards.ts'
import { FoundTable } from '../../work/found-table.tsx'
import { priorityWords, taskTypeWords } from '../../work/words.tsx'
import { useFoundFilters } from '../all/all-page.tsx'
import { FoundFilterRow, useChangeFound } from '../all/found-filter-row.tsx'

const CardPanel = latePart(() => import('../card/card-panel.tsx').then(({ CardPanel }) => CardPanel))

/** Cards by words in title, description and comments, and how many of the found ones have which property. */
export function SearchPage() {
  const filters = useFoundFilters()
  const boards = useQuery(boardsQuery)
  return (
    <Page title="Search">
      <Words filters={filters} />
      {boards.error && !boards.data ? (
        <ErrorState error={boards.error} what="The boards" onRetry={() => void boards.refetch()} />
      ) : boards.data ? (
        <Results filters={filters} boards={boards.data.items} />
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

const typingMs = 250

function Words({ filters }: { readonly filters: FoundFilters }) {
  const change = useChangeFound()
  const { q = '', ...others } = filters
  const [typed, setTyped] = useState(q)
  const latest = useRef((_: string) => {})
  latest.current = (text) => change({ ...others, ...(text.trim() === '' ? {} : { q: text }) })
  useEffect(() => setTyped(q), [q])
  useEffect(() => {
    if (typed === q) return
    const timer = setTimeout(() => latest.current(typed), typingMs)
    return () => clearTimeout(timer)
  }, [typed, q])
  return (
    <label className="relative mx-4 mt-4 block shrink-0 md:mx-5">
      <SearchIcon size={16} className="absolute inset-y-0 left-3 my-auto text-ink-2" aria-hidden />
      <input
        type="search"
        // biome-ignore lint/a11y/noAutofocus: whoever comes to this page came to type
        autoFocus
        maxLength={200}
        value={typed}
        aria-label="Search cards"
        placeholder="Words in title, description and comments, or a reference such as DSP-12"
        onChange={(event) => setTyped(event.target.value)}
        className="h-[var(--ch-control-l)] w-full rounded-control border border-line-control bg-surface pr-3 pl-9 text-read placeholder:text-ink-3 focus-visible:border-focus focus-visible:outline-3 focus-visible:outline-live-edge focus-visible:outline-offset-0"
      />
    </label>
  )
}

interface ResultsProps {
  readonly filters: FoundFilters
  readonly boards: readonly (BoardName & { readonly name: string })[]
}

function Results({ filters, boards }: ResultsProps) {
  const query = queryOf(filters, boards)
  const facets = useQuery({
    ...facetsQuery(query),
    enabled: Object.keys(query).length > 0,
    placeholderData: (before) => before,
  })
  if (Object.keys(query).length === 0)
    return (
      <State icon={SearchIcon} title="Search the cards of all boards" command="crewhall search">
        Typing errors and the beginning of the last word are found too.
      </State>
    )
  return (
    <div className="flex min-h-0 grow">
      <aside
        aria-label="Narrow the search"
        className="hidden w-56 shrink-0 overflow-y-auto py-3 pr-1 pl-5 lg:block"
      >
        <Facets facets={facets.data ?? {}} filters={filters} boards={boards} />
      </aside>
      <div className="flex min-h-0 min-w-0 grow flex-col">
        <div className="lg:hidden">
          <FoundFilterRow filters={filters} sentence="" />
        </div>
        <Found
          key={JSON.stringify(query)}
          query={query}
          q={filters.q}
          isFiltered={Object.keys(filters).some((name) => name !== 'q')}
        />
      </div>
    </div>
  )
}

interface FoundProps {
  readonly query: FoundQuery
  readonly q: string | undefined
  /** By more than words. */
  readonly isFiltered: boolean
}

function Found({ query, q, isFiltered }: FoundProps) {
  const change = useChangeFound()
  const { total, error, cardAt, see, refetch } = useFoundPages(query, 'search')
  if (error && total === undefined) return <ErrorState error={error} what="The search" onRetry={refetch} />
  if (total === undefined) return <SkeletonRows />
  if (total === 0)
    return (
      <State
        icon={SearchIcon}
        title="No card matches"
        action={
          isFiltered && <Button onClick={() => change(q === undefined ? {} : { q })}>Clear filters</Button>
        }
      >
        {q === undefined
          ? 'No card has all of these properties.'
          : `Nothing is found for “${q}”${isFiltered ? ' with these filters' : ''}.`}
      </State>
    )
  return (
    <>
      <p role="status" className="shrink-0 px-4 pt-3 pb-2 text-ink-2 text-meta md:px-5">
        {cardsOf(total)} found
      </p>
      <FoundTable
        label="Found cards"
        isNarrow
        count={total}
        rowAt={(index) => ({ kind: 'card', card: cardAt(index) })}
        onSee={see}
      />
    </>
  )
}

interface FacetsProps extends ResultsProps {
  readonly facets: CardFacets
}
interface Facet {
  readonly value: string
  readonly word: string
  readonly count: number
}

function Facets({ facets, filters, boards }: FacetsProps) {
  const wordIn = (words: readonly { value: string; word: string }[], value: string) =>
    words.find((each) => each.value === value)?.word ?? value
  const of = (name: keyof CardFacets, wordOf: (value: string, name: string) => string): readonly Facet[] =>
    (facets[name] ?? []).map(({ value, name, count }) => ({ value, word: wordOf(value, name), count }))
  const ofBoards = (facets.board ?? []).map(({ value, name, count }) => ({
    value: boards.find(({ id }) => id === value)?.key ?? value,
    word: name,
    count,
  }))
  const ofStates = of('status', (value) => {
    const status = cardStatuses.find((each) => each === value)
    return status === undefined ? value : cardStatusWord(status)
  })
  return (
    <>
      <Group title="State" name="status" values={ofStates} filters={filters} isSingle />
      <Group title="Board" name="board" values={ofBoards} filters={filters} />
      <Group
        title="Assignee"
        name="assignee"
        values={of('assignee', (value, name) => (value === 'none' ? 'Nobody' : name))}
        filters={filters}
      />
      <Group title="Label" name="label" values={of('label', (value) => value)} filters={filters} />
      <Group
        title="Priority"
        name="priority"
        values={of('priority', (value) => wordIn(priorityWords, value))}
        filters={filters}
      />
      <Group
        title="Type"
        name="type"
        values={of('task_type', (value) => wordIn(taskTypeWords, value))}
        filters={filters}
      />
    </>
  )
}

interface GroupProps {
  readonly title: string
  readonly name: keyof FoundFilters
  readonly values: readonly Facet[]
  readonly filters: FoundFilters
  /** The API takes one value only. */
  readonly isSingle?: boolean
}

const mostValues = 12

function Group({ title, name, values, filters, isSingle = false }: GroupProps) {
  const change = useChangeFound()
  const [isWhole, setWhole] = useState(false)
  if (values.length === 0) return null
  const toggle = (value: string) => {
    const { [name]: before, ...others } = filters
    if (!isSingle) change(toggled(filters, name as 'q', value))
    else change(before === value ? others : { ...others, [name]: value })
  }
  return (
    <fieldset className="mb-4">
      <legend className="pb-1 text-ink-3 text-meta">{title}</legend>
      {values.slice(0, isWhole ? undefined : mostValues).map(({ value, word, count }) => {
        const isOn = isChosen(filters, name as 'q', value)
        return (
          <label
            key={value}
            className={classNames(
              'flex min-h-7 items-center gap-2 rounded-control px-1.5 hover:bg-hover',
              isOn && 'font-medium',
            )}
          >
            <input
              type="checkbox"
              className="size-3.5 shrink-0 accent-ink"
              checked={isOn}
              onChange={() => toggle(value)}
            />
            <span className="min-w-0 grow truncate" title={word} dir="auto">
              {word}
            </span>
            <span className="text-ink-2 text-meta">{count}</span>
          </label>
        )
      })}
      {values.length > mostValues && !isWhole && (
        <button
          type="button"
          className="px-1.5 py-1 text-link text-meta hover:underline"
          onClick={() => setWhole(true)}
        >
          {values.length - mostValues} more
        </button>
      )}
    </fieldset>
  )
}
