import type { Board } from '@crewhall/contracts/boards/boards.ts'
import type { FullCard, Worker } from '@crewhall/contracts/boards/card-fields.ts'
import type { Relation, RelationKind } from '@crewhall/contracts/boards/relations.ts'
import type { Run } from '@crewhall/contracts/boards/runs.ts'
import * as agents from '@crewhall/contracts/identity/agents.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import * as members from '@crewhall/contracts/workspaces/members.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactElement, type ReactNode, useState } from 'react'
import { apiOf } from '../api/api.ts'
import { toCard } from '../app/paths.ts'
import { useBrand } from '../app/session.ts'
import { useNow, whenTold } from '../app/times.ts'
import { classNames } from '../ui/class-names.ts'
import { Menu, MenuHeading, MenuItem } from '../ui/menu.tsx'
import { CardStatusIcon } from '../ui/status.tsx'
import { useChangeCard } from './card-data.ts'
import { moneyOf } from './figures.ts'
import { moveCard } from './move.ts'
import { runWord } from './runs.tsx'
import { actorName, Face } from './who.tsx'
import { PriorityIcon, priorityWord, priorityWords, taskTypeWord, taskTypeWords } from './words.tsx'

const api = apiOf({ identity: routesIn(agents), workspaces: routesIn(members) })

interface PropertiesProps {
  readonly card: FullCard
  readonly board: Board | undefined
  readonly relations: readonly Relation[]
  /** Newest first. */
  readonly runs: readonly Run[]
  readonly canWrite: boolean
}

export function Properties({ card, board, relations, runs, canWrite }: PropertiesProps) {
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
                {card.column.name}
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
        <Property name="Estimate">{card.estimate ?? <None />}</Property>
        <Property name="Due">{card.due_at === null ? <None /> : dayOf(card.due_at)}</Property>
        <Property name="Labels">
          <Labels
            card={card}
            canWrite={canWrite}
            onChange={(labels) => change.mutate({ labels: [...labels] })}
          />
        </Property>
      </dl>
      <dl className="border-line border-t pt-3">
        <Property name="Reporter">
          <span className="flex min-w-0 items-center gap-2">
            <Face who={card.reporter} />
            <span className="truncate">{card.reporter.name}</span>
          </span>
        </Property>
        {[...Map.groupBy(relations, ({ kind }) => kind)].map(([kind, all]) => (
          <Property key={kind} name={kindWords[kind]}>
            <span className="flex flex-wrap gap-x-2">
              {all.map(({ task }) => (
                <Link
                  key={task.id}
                  {...toCard(task.ref)}
                  title={task.title}
                  className="rounded-tag font-mono text-meta hover:underline"
                >
                  {task.ref}
                </Link>
              ))}
            </span>
          </Property>
        ))}
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

const kindWords: Readonly<Record<RelationKind, string>> = {
  blocks: 'Blocks',
  blocked_by: 'Blocked by',
  // What this card is to the other one.
  parent: 'Children',
  child: 'Parent',
  relates: 'Relates to',
  duplicates: 'Duplicates',
}

const dayOf = (at: string): string =>
  new Date(at).toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })

function None() {
  return <span className="text-ink-2">–</span>
}

function Property({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-h-7.5 items-center gap-2">
      <dt className="w-17.5 shrink-0 text-ink-2">{name}</dt>
      <dd className="flex min-w-0 grow items-center">{children}</dd>
    </div>
  )
}

interface ChooseProps {
  readonly canWrite: boolean
  readonly label: string
  readonly shown: ReactNode
  readonly children: ReactNode
}

function Choose({ canWrite, label, shown, children }: ChooseProps) {
  if (!canWrite) return <span className="flex min-w-0 items-center gap-2">{shown}</span>
  const trigger: ReactElement<Record<string, unknown>> = (
    <button
      type="button"
      className="-ml-1.5 flex min-h-6.5 min-w-0 items-center gap-2 rounded-tag px-1.5 text-left hover:bg-hover"
    >
      {shown}
      <span className="sr-only">, change {label}</span>
    </button>
  )
  return <Menu trigger={trigger}>{children}</Menu>
}

interface WorkerChoiceProps {
  readonly who: Worker | null
  readonly label: string
  readonly canWrite: boolean
  readonly onChoose: (
    who: { kind: 'member'; id: string } | { kind: 'agent'; id: string; name: string } | null,
  ) => void
}

function WorkerChoice({ who, label, canWrite, onChoose }: WorkerChoiceProps) {
  return (
    <Choose
      canWrite={canWrite}
      label={label}
      shown={
        who ? (
          <>
            <Face who={who} />
            <span className="truncate">{who.name}</span>
          </>
        ) : (
          <span className="text-ink-2">Nobody</span>
        )
      }
    >
      <MenuItem isChosen={who === null} onSelect={() => onChoose(null)}>
        Nobody
      </MenuItem>
      <Workers chosen={who?.id} onChoose={onChoose} />
    </Choose>
  )
}

function Workers({
  chosen,
  onChoose,
}: { readonly chosen: string | undefined } & Pick<WorkerChoiceProps, 'onChoose'>) {
  const { brand_id } = useBrand()
  const people = useQuery({
    queryKey: ['members', brand_id],
    queryFn: async ({ signal }) =>
      (await api.reading(signal).workspaces.listMembers({ params: { brand_id }, query: { per_page: '100' } }))
        .body,
  })
  const crew = useQuery({
    queryKey: ['agents', 'active'],
    queryFn: async ({ signal }) =>
      (await api.reading(signal).identity.listAgents({ query: { status: 'active', limit: '100' } })).body,
  })
  return (
    <>
      <MenuHeading>People</MenuHeading>
      {people.data?.members.map(({ user_id, name }) => (
        <MenuItem
          key={user_id}
          isChosen={chosen === String(user_id)}
          onSelect={() => onChoose({ kind: 'member', id: String(user_id) })}
        >
          {name}
        </MenuItem>
      ))}
      {(crew.data?.items.length ?? 0) > 0 && <MenuHeading>Agents</MenuHeading>}
      {crew.data?.items.map(({ agent_id, name }) => (
        <MenuItem
          key={agent_id}
          isChosen={chosen === agent_id}
          onSelect={() => onChoose({ kind: 'agent', id: agent_id, name })}
        >
          {name}
        </MenuItem>
      ))}
    </>
  )
}

interface LabelsProps {
  readonly card: FullCard
  readonly canWrite: boolean
  readonly onChange: (labels: readonly string[]) => void
}

function Labels({ card, canWrite, onChange }: LabelsProps) {
  const [text, setText] = useState<string>()
  const done = () => {
    const labels = (text ?? '')
      .split(',')
      .map((label) => label.trim())
      .filter(Boolean)
    if (text !== undefined && labels.join() !== card.labels.join()) onChange([...new Set(labels)])
    setText(undefined)
  }
  if (text !== undefined)
    return (
      <input
        // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed
        autoFocus
        value={text}
        aria-label="Labels, separated by commas"
        onChange={(event) => setText(event.target.value)}
        onBlur={done}
        onKeyDown={(event) => {
          if (event.key === 'Enter') done()
          if (event.key === 'Escape') {
            event.stopPropagation()
            setText(undefined)
          }
        }}
        className="h-6.5 w-full rounded-tag border border-line-control bg-surface px-1.5"
      />
    )
  const tags = card.labels.map((label) => (
    <span key={label} className="max-w-full truncate rounded-tag border border-line px-1.5 text-meta">
      {label}
    </span>
  ))
  if (!canWrite) return <span className="flex flex-wrap gap-1">{tags.length > 0 ? tags : <None />}</span>
  return (
    <button
      type="button"
      onClick={() => setText(card.labels.join(', '))}
      className="-ml-1.5 flex min-h-6.5 min-w-0 flex-wrap gap-1 rounded-tag px-1.5 py-0.5 text-left hover:bg-hover"
    >
      {tags.length > 0 ? tags : <None />}
      <span className="sr-only">, change the labels</span>
    </button>
  )
}

function CostByRun({ runs }: { readonly runs: readonly Run[] }) {
  const oldest = runs.toReversed()
  const total = oldest.reduce((sum, { usage }) => sum + usage.cost_micros, 0)
  return (
    <section className="border-line border-t pt-3">
      <h3 className="flex justify-between text-ink-2">
        Cost by run <span>{moneyOf(total)}</span>
      </h3>
      {total > 0 && (
        <div className="my-2 flex h-1.5 gap-0.5" aria-hidden>
          {oldest.map(({ id, usage, status }) => (
            <span
              key={id}
              className={classNames('rounded-full', status === 'running' ? 'bg-live-mark' : 'bg-line-strong')}
              style={{ width: `${(usage.cost_micros / total) * 100}%` }}
            />
          ))}
        </div>
      )}
      <ul>
        {oldest.map((run) => (
          <li key={run.id} className="flex min-h-6 items-center gap-2">
            <span className="w-3 shrink-0 text-ink-2">{run.number}</span>
            <span className="min-w-0 grow truncate" title={runWord(run)}>
              {runWord(run)}
            </span>
            <span className="shrink-0">{moneyOf(run.usage.cost_micros)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
