import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { workingQuery } from '../../app/boards.ts'
import { toCard } from '../../app/paths.ts'
import { shortSpan, useNow } from '../../app/times.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../../ui/states.tsx'

/** Working now as a page: all of it, and the only place for it on a phone. */
export function NowPage() {
  return (
    <Page title="Working now">
      <Working />
    </Page>
  )
}

function Working() {
  const { data, error, refetch } = useQuery(workingQuery)
  const now = useNow()
  if (error && !data) return <ErrorState error={error} what="Who works now" onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows />
  if (data.items.length === 0)
    return (
      <State icon={Activity} title="Nobody works right now">
        Cards that a person or an agent has claimed show up here.
      </State>
    )
  return (
    <ul className="divide-y divide-line border-line border-b bg-surface">
      {data.items.map(({ id, ref, title, claim, claimed_at, run, board }) => (
        <li key={id}>
          <Link
            {...toCard(ref)}
            className="flex min-h-[var(--ch-row-2)] items-center gap-3 px-4 py-2 hover:bg-hover md:px-5"
          >
            <Avatar
              name={claim.holder.name}
              id={claim.holder.agent_id ?? claim.holder.id}
              kind={claim.holder.kind === 'agent' ? 'agent' : 'person'}
              size={30}
              isWorking
            />
            <span className="min-w-0 grow">
              <span className="block truncate font-medium">{title}</span>
              <span className="block truncate text-ink-2 text-meta">
                <span className="font-mono">{ref}</span> on {board}, {claim.holder.name}
                {run?.line ? `: ${run.line}` : ''}
              </span>
            </span>
            <span className="shrink-0 text-ink-2">{shortSpan(now - Date.parse(claimed_at))}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
