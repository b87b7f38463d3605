import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import * as context from '@crewhall/contracts/boards/context.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { BookOpen, type LucideIcon, Pin, Scale, Shield, TriangleAlert, Unplug } from 'lucide-react'
import { apiOf } from '../api/api.ts'
import { classNames } from '../ui/class-names.ts'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { Prose } from './prose.tsx'

const api = apiOf({ boards: routesIn(context) })

/** Lessons on the code that the texts of the card name. Without a project there is no code to be near to. */
export const lessonsQuery = ({ ref, project_id }: FullCard) =>
  queryOptions({
    queryKey: ['card', ref, 'lessons'],
    queryFn: async ({ signal }) => {
      const { body } = await api.reading(signal).boards.readContext({
        params: { task_id: ref },
        query: { include: 'lessons', budget_bytes: String(context.maxBudgetBytes) },
      })
      const cut = body.cut.find(({ field }) => field === 'lessons')
      return { lessons: body.lessons ?? [], outage: body.lessons_degraded, of: cut?.of }
    },
    enabled: project_id !== null,
  })

const kinds: Readonly<Record<string, readonly [LucideIcon, string]>> = {
  rule: [Shield, 'text-review'],
  gotcha: [TriangleAlert, 'text-warn'],
  decision: [Scale, 'text-idle'],
}

const outages: Readonly<Record<(typeof context.lessonOutages)[number], string>> = {
  no_ready_index: 'The code of the project is not indexed yet, so nothing is known to be near.',
  code_index_unavailable: 'The index of the code cannot be reached; lessons may be missing.',
  memory_unavailable: 'The lessons cannot be reached at the moment.',
}

export function LessonsNear({ card }: { readonly card: FullCard }) {
  const { data, error, refetch } = useQuery(lessonsQuery(card))
  if (error && !data) return <ErrorState error={error} what="The lessons" onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows rows={3} />
  const { lessons, outage, of } = data
  return (
    <div className="flex flex-col gap-3">
      {outage !== undefined && (
        <p className="rounded-control bg-warn-bg px-3 py-1.5 text-meta text-warn">{outages[outage]}</p>
      )}
      {lessons.length === 0 && outage === undefined && (
        <p className="text-ink-2">No lesson is near the code that this card names.</p>
      )}
      <ul className="divide-y divide-line border-line border-y empty:hidden">
        {lessons.map(({ id, type, pinned, stale, hops, body }) => {
          const [Icon, tone] = kinds[type] ?? [BookOpen, 'text-ink-2']
          return (
            <li key={id} className="flex gap-2.5 py-2">
              <Icon size={14} strokeWidth={1.75} className={classNames('mt-1 shrink-0', tone)} aria-hidden />
              <div className="min-w-0 grow">
                <Prose text={body} />
                <p className="flex flex-wrap gap-x-2.5 pt-0.5 text-ink-2 text-meta">
                  <span>{type}</span>
                  <span>
                    {hops === 0 ? 'on this code' : hops === 1 ? '1 step away' : `${hops} steps away`}
                  </span>
                  {pinned && (
                    <span className="flex items-center gap-1">
                      <Pin size={12} aria-hidden />
                      pinned
                    </span>
                  )}
                  {stale && (
                    <span className="flex items-center gap-1 text-bad">
                      <Unplug size={12} aria-hidden />
                      its code is gone
                    </span>
                  )}
                </p>
              </div>
            </li>
          )
        })}
      </ul>
      {of !== undefined && (
        <p className="text-ink-2 text-meta">
          The nearest {lessons.length} of {of}.
        </p>
      )}
    </div>
  )
}
