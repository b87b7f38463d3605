import type { ActivityEntry } from '@crewhall/contracts/boards/activity.ts'
import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNow, whenTold } from '../app/times.ts'
import { Button } from '../ui/button.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { activityQuery } from './card-data.ts'
import { actorName, Face } from './who.tsx'

const words: Readonly<Record<string, string>> = {
  'task.created': 'created the card',
  'task.updated': 'changed',
  'task.moved': 'moved it',
  'task.archived': 'archived the card',
  'task.restored': 'restored the card',
  'task.commented': 'commented',
  'task.related': 'related it to another card',
  'task.claimed': 'claimed it',
  'task.released': 'released the claim',
  'task.claim_expired': 'found that the lease had run out',
  'task.checks_changed': 'told of its checks',
  'task.unblocked': 'found its last blocker gone',
  'attachment.added': 'attached a file',
  'attachment.removed': 'removed a file',
  'run.started': 'started a run',
  'run.updated': 'went on',
  'run.finished': 'ended the run',
  'task.batch_changed': 'changed several cards',
  'board.created': 'made the board',
  'board.updated': 'changed the board',
  'board.archived': 'archived the board',
  'board.restored': 'restored the board',
  'column.created': 'added a column',
  'column.updated': 'changed a column',
  'column.deleted': 'removed a column',
  'label.created': 'added a label',
  'label.updated': 'changed a label',
  'label.merged': 'merged two labels',
  'label.deleted': 'removed a label',
  'cycle.created': 'planned a cycle',
  'cycle.updated': 'changed a cycle',
  'cycle.started': 'started a cycle',
  'cycle.closed': 'closed a cycle',
  'cycle.deleted': 'removed a cycle',
  'guest.added': 'added a guest',
  'guest.role_changed': 'changed the role of a guest',
  'guest.removed': 'removed a guest',
  'import.updated': 'went on with an import',
}

/** What somebody did, after their name. */
export const actionWords = (entry: ActivityEntry): string =>
  `${words[entry.action] ?? entry.action.replaceAll(/[._]/g, ' ')} ${noteOf(entry)}`.replace(' :', ':').trim()

/** What happened on the card, newest first, in words: who, what, from what to what. */
export function Activity({ card }: { readonly card: FullCard }) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    activityQuery(card),
  )
  const now = useNow()
  if (error && !data) return <ErrorState error={error} what="The activity" onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows rows={3} />
  // What comes in moves the pages on: an entry may stand in two of them until all are read again.
  const entries = [
    ...new Map(data.pages.flatMap(({ items }) => items).map((entry) => [entry.id, entry])).values(),
  ]
  return (
    <ul className="flex flex-col gap-2.5">
      {entries.length === 0 && <li className="text-ink-2">Nothing of this card is kept.</li>}
      {entries.map((entry) => (
        <li key={entry.id} className="flex items-start gap-2.5">
          <Face who={entry.actor} />
          <p className="min-w-0 grow break-words" dir="auto">
            <span className="font-medium">{actorName(entry.actor)}</span>{' '}
            <span className="text-ink-2">{actionWords(entry)}</span>
          </p>
          <time
            className="shrink-0 text-ink-3 text-meta"
            dateTime={entry.created_at}
            title={entry.created_at}
          >
            {whenTold(entry.created_at, now)}
          </time>
        </li>
      ))}
      {hasNextPage && (
        <li>
          <Button size="s" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        </li>
      )}
    </ul>
  )
}

/** Ranks and counters change with everything and say nothing. */
const silent = new Set([
  'rank',
  'version',
  'moved_at',
  'updated_at',
  'started_at',
  'completed_at',
  'status',
  'pr_url',
])

const fieldWords: Readonly<Record<string, string>> = {
  pr_number: 'pull request',
  pr_state: 'state of the pull request',
  commit_sha: 'commit',
  task_type: 'type',
  due_at: 'due',
}

function noteOf({ action, data, changes = {} }: ActivityEntry): string {
  if (action === 'task.moved') return moveOf(data)
  if (action === 'run.updated' && typeof data.line === 'string') return `: ${data.line}`
  const told = Object.entries(changes).filter(([field]) => !silent.has(field))
  return told
    .map(([field, change]) => {
      const name = fieldWords[field] ?? field.replaceAll('_', ' ')
      if ('from_bytes' in change || isLong(change.from) || isLong(change.to)) return name
      if (isNothing(change.from)) return `${name} to ${shown(change.to)}`
      return `${name} from ${shown(change.from)} to ${shown(change.to)}`
    })
    .join(', ')
}

function moveOf({ from, to, from_column, to_column }: Readonly<Record<string, unknown>>): string {
  const [before, after] = [nameOf(from ?? from_column), nameOf(to ?? to_column)]
  return before === undefined || after === undefined || before === after
    ? 'within its column'
    : `from ${before} to ${after}`
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return undefined
  if ('column' in value) return nameOf(value.column)
  return 'name' in value ? nameOf(value.name) : undefined
}

const isNothing = (value: unknown): boolean => value === null || value === undefined || value === ''
/** A text of several lines says more in its place than in a sentence. */
const isLong = (value: unknown): boolean => typeof value === 'string' && value.includes('\n')

function shown(value: unknown): string {
  if (isNothing(value)) return 'nothing'
  const text = nameOf(value) ?? (typeof value === 'object' ? JSON.stringify(value) : String(value))
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
