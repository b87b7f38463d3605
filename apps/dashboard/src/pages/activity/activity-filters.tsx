import { useNavigate } from '@tanstack/react-router'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { workerKey } from '../../work/filters.ts'
import { useWorkers } from '../../work/workers.tsx'
import { Chip } from '../board/filter-row.tsx'
import type { FeedBoard, FeedEntry } from './feed-data.ts'

/** What the address says: the key of a board, `member:12` or `agent:wren`, and a kind of action. */
export interface FeedFilters {
  readonly board?: string
  readonly actor?: string
  readonly action?: string
}

interface Kind {
  readonly value: string
  readonly word: string
  readonly holds: (action: string) => boolean
}
const kinds: readonly Kind[] = [
  { value: 'created', word: 'New cards', holds: (action) => action === 'task.created' },
  { value: 'moved', word: 'Moves', holds: (action) => action === 'task.moved' },
  { value: 'commented', word: 'Comments', holds: (action) => action === 'task.commented' },
  { value: 'claims', word: 'Claims', holds: (action) => /^task\.(claim|released)/.test(action) },
  { value: 'runs', word: 'Runs', holds: (action) => action.startsWith('run.') },
  { value: 'files', word: 'Files', holds: (action) => action.startsWith('attachment.') },
  {
    value: 'changed',
    word: 'Changes of cards',
    holds: (action) => /^task\.(updated|archived|restored|related|batch|checks|unblocked)/.test(action),
  },
  { value: 'board', word: 'The board itself', holds: (action) => !/^(task|run|attachment)\./.test(action) },
]

/** Agents by what they are called in the workspace: tokens change. */
const actorKey = ({ actor }: FeedEntry): string =>
  `${actor.kind}:${actor.kind === 'agent' ? (actor.agent_id ?? actor.id) : actor.id}`

/** Undefined where nothing is filtered. */
export function entryMatcher(
  actor: string | undefined,
  action: string | undefined,
): ((entry: FeedEntry) => boolean) | undefined {
  const kind = kinds.find(({ value }) => value === action)
  if (actor === undefined && kind === undefined) return undefined
  return (entry) =>
    (actor === undefined || actorKey(entry) === actor) && (kind === undefined || kind.holds(entry.action))
}

interface FilterRowProps {
  readonly filters: FeedFilters
  readonly boards: readonly FeedBoard[]
  readonly sentence: string
}

export function ActivityFilterRow({ filters, boards, sentence }: FilterRowProps) {
  const change = useChangeFeed()
  const people = useWorkers().workers.map((worker) => ({ value: workerKey(worker), word: worker.name }))
  const only = (name: keyof FeedFilters, none: string, of: readonly { value: string; word: string }[]) =>
    [{ value: undefined, word: none }, ...of].map(({ value, word }) => (
      <MenuItem
        key={word + value}
        isChosen={filters[name] === value}
        onSelect={() => {
          const { [name]: _, ...others } = filters
          change(value === undefined ? others : { ...others, [name]: value })
        }}
      >
        {word}
      </MenuItem>
    ))
  const boardWords = boards.map(({ key, name }) => ({ value: key, word: name }))
  const wordOf = (name: keyof FeedFilters, none: string, of: readonly { value: string; word: string }[]) =>
    of.find(({ value }) => value === filters[name])?.word ?? filters[name] ?? none
  return (
    <div className="flex h-11 shrink-0 items-center gap-2 overflow-x-auto border-line border-b px-4 [scrollbar-width:none] md:px-5">
      <Menu trigger={<Chip label="Board" chosen={wordOf('board', 'all', boardWords)} />}>
        {only('board', 'All boards', boardWords)}
      </Menu>
      <Menu trigger={<Chip label="By" chosen={wordOf('actor', 'anyone', people)} />}>
        {only('actor', 'Anyone', people)}
      </Menu>
      <Menu trigger={<Chip label="Kind" chosen={wordOf('action', 'any', kinds)} />}>
        {only('action', 'Any kind', kinds)}
      </Menu>
      <p className="ml-auto hidden shrink-0 text-ink-2 text-meta md:block">{sentence}</p>
    </div>
  )
}

/** Filters replace one another in the history; only the open card is a step. */
export function useChangeFeed() {
  const navigate = useNavigate()
  return (filters: FeedFilters) =>
    void navigate({
      to: '.',
      replace: true,
      search: ({ card }) => ({ ...filters, ...(card && { card }) }),
    })
}
