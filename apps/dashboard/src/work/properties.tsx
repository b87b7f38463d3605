import type { Board } from '@crewhall/contracts/boards/boards.ts'
import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { Run } from '@crewhall/contracts/boards/runs.ts'
import { useQuery } from '@tanstack/react-query'
import { useNow, whenTold } from '../app/times.ts'
import { classNames } from '../ui/class-names.ts'
import { MenuHeading, MenuItem } from '../ui/menu.tsx'
import { CardStatusIcon } from '../ui/status.tsx'
import { watchersQuery } from './card-data.ts'
import { useChangeCard } from './card-writes.ts'
import { CostByRun } from './cost-by-run.tsx'
import { LabelChoice } from './labels.tsx'
import { moveCard } from './move.ts'
import { Choose, None, Property, TypedValue } from './property.tsx'
import { Relations } from './relations.tsx'
import { actorName, Face } from './who.tsx'
import { PriorityIcon, priorityWord, priorityWords, taskTypeWord, taskTypeWords } from './words.tsx'
import { WorkerChoice } from './workers.tsx'

interface PropertiesProps {
  readonly card: FullCard
  readonly board: Board | undefined
  /** Newest first. */
  readonly runs: readonly Run[]
  readonly canWrite: boolean
}

export function Properties({ card, board, runs, canWrite }: PropertiesProps) {
  const now = useNow()
  const change = useChangeCard(card)
  const profile = card.agent_context.profile
  return (
    <div className="flex flex-col gap-4">
      <dl>
        <Property name="Status">
          <Choose
            canWrite={canWrite}
            shown={
              <>
                <CardStatusIcon status={card.status} label={false} />
                <span className="min-w-0 break-words" dir="auto">
                  {card.column.name}
                </span>
              </>
            }
            label="Move to"
          >
            <MenuHeading>Move to</MenuHeading>
            {board?.columns.map((column) => (
              <MenuItem
                key={column.id}
                isChosen={column.id === card.column.id}
                onSelect={() => column.id !== card.column.id && void moveCard(card, { column })}
              >
                {column.name}
              </MenuItem>
            ))}
          </Choose>
        </Property>
        <Property name="Priority">
          <Choose
            canWrite={canWrite}
            label="Priority"
            shown={
              <span
                className={classNames('flex items-center gap-2', card.priority === 'urgent' && 'text-bad')}
              >
                <PriorityIcon priority={card.priority} />
                {priorityWord(card.priority)}
              </span>
            }
          >
            {priorityWords.map(({ value, word }) => (
              <MenuItem
                key={value}
                isChosen={value === card.priority}
                onSelect={() => change.mutate({ priority: value as FullCard['priority'] })}
              >
                {word}
              </MenuItem>
            ))}
          </Choose>
        </Property>
        <Property name="Assignee">
          <WorkerChoice
            who={card.assignee}
            label="Assignee"
            canWrite={canWrite}
            onChoose={(assignee) => change.mutate({ assignee })}
          />
        </Property>
        <Property name="Delegate">
          <WorkerChoice
            who={card.delegate}
            label="Delegate"
            canWrite={canWrite}
            onChoose={(delegate) => change.mutate({ delegate })}
          />
        </Property>
        <Property name="Type">
          <Choose canWrite={canWrite} label="Type" shown={taskTypeWord(card.task_type)}>
            {taskTypeWords.map(({ value, word }) => (
              <MenuItem
                key={value}
                isChosen={value === card.task_type}
                onSelect={() => change.mutate({ task_type: value as FullCard['task_type'] })}
              >
                {word}
              </MenuItem>
            ))}
          </Choose>
        </Property>
        {typeof profile === 'string' && (
          <Property name="Profile">
            <span className="truncate font-mono text-meta">{profile}</span>
          </Property>
        )}
        <Property name="Estimate">
          <TypedValue
            label="Estimate"
            type="number"
            canWrite={canWrite}
            value={card.estimate === null ? '' : String(card.estimate)}
            shown={card.estimate ?? <None />}
            onChange={(text) => change.mutate({ estimate: text === '' ? null : Number(text) })}
          />
        </Property>
        <Property name="Due">
          <TypedValue
            label="Due"
            type="date"
            canWrite={canWrite}
            value={card.due_at === null ? '' : fieldDay(card.due_at)}
            shown={
              card.due_at === null ? (
                <None />
              ) : (
                <span title={card.due_at} className={classNames(isLate(card, now) && 'text-bad')}>
                  {dayOf(card.due_at)}
                  {isLate(card, now) && <span className="sr-only">, late</span>}
                </span>
              )
            }
            onChange={(day) => change.mutate({ due_at: day === '' ? null : endOfDay(day) })}
          />
        </Property>
        <Property name="Labels">
          <LabelChoice card={card} canWrite={canWrite} onChange={(labels) => change.mutate({ labels })} />
        </Property>
      </dl>
      <dl className="border-line border-t pt-3">
        <Property name="Reporter">
          <span className="flex min-w-0 items-center gap-2">
            <Face who={card.reporter} />
            <span className="truncate">{card.reporter.name}</span>
          </span>
        </Property>
        <Watchers card={card} />
        <Relations card={card} canWrite={canWrite} />
        <Property name="Repository">
          {card.repository === null ? (
            <None />
          ) : (
            <span className="truncate" title={card.repository}>
              {card.repository}
            </span>
          )}
        </Property>
        <Property name="Base">
          {card.base_branch === null ? (
            <None />
          ) : (
            <span className="truncate font-mono text-meta">{card.base_branch}</span>
          )}
        </Property>
      </dl>
      {runs.length > 0 && <CostByRun runs={runs} />}
      <p className="border-line border-t pt-3 text-ink-2 text-meta">
        <span title={card.created_at} className="block">
          Created {whenTold(card.created_at, now)} by {actorName(card.created_by)}
        </span>
        <span title={card.updated_at} className="block">
          Changed {whenTold(card.updated_at, now)} by {actorName(card.updated_by)}
        </span>
      </p>
    </div>
  )
}

const dayOf = (at: string): string =>
  new Date(at).toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })

/** The day in the calendar of the reader, as a field of the browser has it. */
function fieldDay(at: string): string {
  const day = new Date(at)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}

/** Due on a day means until it ends, where the reader is. */
const endOfDay = (day: string): string => new Date(`${day}T23:59:59`).toISOString()

const isLate = ({ due_at, completed_at }: FullCard, now: number): boolean =>
  due_at !== null && completed_at === null && Date.parse(due_at) < now

/** Who is told of what happens to the card. */
function Watchers({ card }: { readonly card: FullCard }) {
  const { data } = useQuery(watchersQuery(card.ref))
  const names = data?.items.map(({ name }) => name) ?? []
  if (names.length === 0) return null
  return (
    <Property name="Watchers">
      <span className="truncate" title={names.join(', ')}>
        {names[0]}
        {names.length > 1 && <span className="text-ink-2"> +{names.length - 1}</span>}
      </span>
    </Property>
  )
}
