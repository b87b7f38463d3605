import type { Comment } from '@crewhall/contracts/boards/comments.ts'
import type { Knew as KnewFacts } from '@crewhall/contracts/boards/knew.ts'
import type { Run } from '@crewhall/contracts/boards/runs.ts'
import {
  BookOpen,
  Brain,
  CircleCheck,
  CircleDot,
  CircleSlash,
  CircleX,
  FileText,
  type LucideIcon,
  MessageSquare,
  Scissors,
  Unplug,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { shortSpan, useNow, whenTold } from '../app/times.ts'
import { classNames } from '../ui/class-names.ts'
import { bytesOf, moneyOf, tokensOf } from './figures.ts'
import { useMemoryTitles } from './memory-titles.ts'
import { Prose } from './prose.tsx'
import { actorName, Face } from './who.tsx'

const statuses: Readonly<Record<Run['status'], readonly [string, LucideIcon, string]>> = {
  running: ['Running', CircleDot, 'text-live'],
  succeeded: ['Succeeded', CircleCheck, 'text-ok'],
  failed: ['Failed', CircleX, 'text-bad'],
  canceled: ['Canceled', CircleSlash, 'text-idle'],
  lost: ['Lost', Unplug, 'text-warn'],
}
export const runWord = ({ status, reason }: Run): string =>
  reason === null ? statuses[status][0] : `${statuses[status][0]}, ${reason}`

interface RunsProps {
  readonly runs: readonly Run[]
  readonly comments: readonly Comment[]
}

export function Runs({ runs, comments }: RunsProps) {
  const now = useNow()
  if (runs.length === 0)
    return (
      <p className="text-ink-2">No run yet. A run is one attempt at the work, with its result and cost.</p>
    )
  return (
    <ul className="flex flex-col gap-4">
      {runs.map((run) => {
        const [word, Icon, tone] = statuses[run.status]
        const end = run.finished_at === null ? now : Date.parse(run.finished_at)
        return (
          <li key={run.id} className="rounded-card border border-line">
            <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-3.5 py-2.5">
              <Icon size={15} strokeWidth={1.75} className={classNames('shrink-0', tone)} aria-hidden />
              <span className="font-medium">Run {run.number}</span>
              <span className={tone}>{word}</span>
              <span className="flex items-center gap-1.5 text-ink-2">
                <Face who={run.started_by} />
                {actorName(run.started_by)}
              </span>
              <span className="ml-auto text-ink-2 text-meta" title={run.started_at}>
                {whenTold(run.started_at, now)}, {shortSpan(end - Date.parse(run.started_at))},{' '}
                {tokensOf(run.usage.tokens)} tokens,{' '}
                <span className="font-medium text-ink text-ui">{moneyOf(run.usage.cost_micros)}</span>
              </span>
            </div>
            {(run.reason !== null || run.summary !== '') && (
              <div className="flex flex-col gap-2 border-line border-t px-3.5 py-2.5">
                {run.reason !== null && (
                  <p className={classNames('break-words', tone)} dir="auto">
                    {run.reason}
                  </p>
                )}
                {run.summary !== '' && <Prose text={run.summary} />}
              </div>
            )}
            <div className="border-line border-t px-3.5 py-2.5">
              <Knew run={run} comments={comments} />
            </div>
          </li>
        )
      })}
    </ul>
  )
}

/** What the worker of a run was told when it began, and what was cut. */
export function Knew({ run, comments }: { readonly run: Run; readonly comments: readonly Comment[] }) {
  const { knew } = run
  const who = run.started_by.name
  const titles = useMemoryTitles(knew?.memories ?? [])
  if (!knew)
    return (
      <p className="text-ink-2 text-meta">
        Run {run.number} was started without a context: what {who} knew is not recorded.
      </p>
    )
  const rows = rowsOf(knew, comments, titles)
  return (
    <section>
      <h3 className="flex flex-wrap items-baseline justify-between gap-x-3 pb-1.5">
        <span className="font-semibold">
          What {who} knew at the start of run {run.number}
        </span>
        <span className="text-ink-2 text-meta">
          at most {bytesOf(knew.budget_bytes)},{' '}
          {knew.cut.length === 0 ? 'nothing cut' : `${knew.cut.length} cut`}
        </span>
      </h3>
      <ul className="divide-y divide-line border-line border-t">
        {rows.map(({ key, icon: Icon, kind, text, note }) => (
          <li key={key} className="flex min-h-7.5 items-center gap-2.5 py-1">
            <Icon size={14} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
            <span className="w-16 shrink-0 text-ink-2">{kind}</span>
            <span className="min-w-0 grow truncate" title={typeof text === 'string' ? text : undefined}>
              {text}
            </span>
            <span className="shrink-0 text-ink-2 text-meta">{note}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface KnewRow {
  readonly key: string
  readonly icon: LucideIcon
  readonly kind: string
  readonly text: ReactNode
  readonly note: string
}

function rowsOf(
  knew: KnewFacts,
  comments: readonly Comment[],
  titles: ReadonlyMap<string, string>,
): readonly KnewRow[] {
  const row = (key: string, icon: LucideIcon, kind: string, text: ReactNode, note = ''): KnewRow => ({
    key,
    icon,
    kind,
    text,
    note,
  })
  const mono = (text: string) => <span className="font-mono text-micro">{text}</span>
  return [
    row(
      'card',
      FileText,
      'Card',
      knew.parts.join(', ').replaceAll('_', ' ') || 'its title',
      `version ${knew.version}`,
    ),
    ...(knew.memories ?? []).map(({ id, version }) =>
      row(id, Brain, 'Memory', titles.get(id) ?? mono(id), `version ${version}`),
    ),
    ...(knew.lessons ?? []).map(({ id, version }) =>
      row(id, BookOpen, 'Lesson', mono(id), version.slice(0, 7)),
    ),
    ...knew.comments.map(({ id }, at) => {
      const said = comments.find((each) => each.id === id)
      const text = said ? `${said.author.name}: ${said.body.split('\n', 1)[0]}` : 'Removed since'
      return row(id, MessageSquare, 'Comment', text, `${at + 1} of ${knew.comments.length}`)
    }),
    ...Object.entries(knew.missing ?? {}).map(([what, why]) =>
      row(`missing ${what}`, Unplug, 'Missing', `${what}: ${String(why).replaceAll('_', ' ')}`),
    ),
    ...knew.cut.map(({ field, bytes, items, of }, at) =>
      row(
        `cut ${at}`,
        Scissors,
        'Cut',
        field,
        `${bytes ?? items ?? 0} of ${of} ${items === undefined ? 'bytes' : 'items'}`,
      ),
    ),
  ]
}
