import { CircleAlert } from 'lucide-react'
import type { Problem } from '../api/problem.ts'
import { RequestId } from './states.tsx'

/** Why the server did not take a form, above its button. */
export function FormError({ problem }: { readonly problem: Problem | undefined }) {
  if (!problem) return null
  const isOurs = problem.kind === 'bug' || problem.kind === 'outage' || problem.kind === 'offline'
  return (
    <div role="alert" className="flex gap-2 rounded-control bg-bad-bg px-3 py-2 text-bad">
      <CircleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
      <div className="min-w-0">
        {problem.text}
        {/[.!?]$/.test(problem.text) ? '' : '.'}
        {isOurs && problem.request_id !== undefined && (
          <div>
            <RequestId id={problem.request_id} />
          </div>
        )}
      </div>
    </div>
  )
}
