import type { Run } from '@crewhall/contracts/boards/runs.ts'
import { shortSpan, useNow } from '../../app/times.ts'
import { moneyOf } from '../../work/figures.ts'
import { InlineText } from '../../work/inline-text.tsx'
import { runWord } from '../../work/runs.tsx'

const linesShown = 6

/** The last lines of a run, how it ended, what it cost and what it knew. */
export function LastRun({ run }: { readonly run: Run }) {
  const now = useNow()
  const lines = run.summary
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-linesShown)
  const end = run.finished_at === null ? now : Date.parse(run.finished_at)
  const { memories = [], lessons = [] } = run.knew ?? {}
  const known = [
    ...(memories.length > 0 ? [counted(memories.length, 'memory', 'memories')] : []),
    ...(lessons.length > 0 ? [counted(lessons.length, 'lesson', 'lessons')] : []),
  ]
  return (
    <>
      {lines.length > 0 && (
        <ul className="divide-y divide-line rounded-card border border-line px-4">
          {lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text have no other name
            <li key={at} className="flex min-h-8 items-center gap-3 py-1.5">
              <span className="size-1.5 shrink-0 rounded-full bg-idle-mark" aria-hidden />
              <span className="min-w-0 break-words" dir="auto">
                <InlineText text={line} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="flex flex-wrap gap-x-4 text-ink-2 text-meta">
        <span>
          Run {run.number}, {runWord(run)}, {shortSpan(end - Date.parse(run.started_at))},{' '}
          {moneyOf(run.usage.cost_micros)}
        </span>
        {known.length > 0 && <span>Knew {known.join(', ')}</span>}
      </p>
    </>
  )
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`
