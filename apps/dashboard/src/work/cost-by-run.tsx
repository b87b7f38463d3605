import type { Run } from '@crewhall/contracts/boards/runs.ts'
import { classNames } from '../ui/class-names.ts'
import { moneyOf } from './figures.ts'
import { runWord } from './runs.tsx'

export function CostByRun({ runs }: { readonly runs: readonly Run[] }) {
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
