import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { workingQuery } from '../app/boards.ts'
import { paths, toCard } from '../app/paths.ts'
import { shortSpan, useNow } from '../app/times.ts'
import { Avatar } from '../ui/avatar.tsx'

const mostShown = 5

/** Who works on what, on every page: those who have worked longest first. */
export function WorkingNow() {
  const { data } = useQuery(workingQuery)
  const now = useNow()
  const cards = data?.items ?? []
  const more = cards.length - mostShown
  return (
    <section aria-label="Working now" className="border-line border-t px-2 pt-3 pb-2">
      <h2 className="flex justify-between px-2 pb-1.5 text-ink-2 text-meta">
        Working now
        {data && <span>{data.next_cursor ? `${cards.length}+` : cards.length}</span>}
      </h2>
      {data !== undefined && cards.length === 0 && (
        <p className="px-2 pb-2 text-ink-2 text-meta">Nobody. Claimed cards show up here.</p>
      )}
      <ul>
        {cards.slice(0, mostShown).map(({ id, ref, title, claim, claimed_at }) => (
          <li key={id}>
            <Link
              {...toCard(ref)}
              title={title}
              className="flex h-7.5 items-center gap-2.5 rounded-control px-1.5 hover:bg-hover"
            >
              <Avatar
                name={claim.holder.name}
                id={claim.holder.agent_id ?? claim.holder.id}
                kind={claim.holder.kind === 'agent' ? 'agent' : 'person'}
                size={20}
                isWorking
              />
              <span className="min-w-0 truncate font-medium">{claim.holder.name}</span>
              <span className="shrink-0 font-mono text-ink-2 text-micro">{ref}</span>
              <span className="ml-auto shrink-0 text-ink-2 text-meta">
                {shortSpan(now - Date.parse(claimed_at))}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Link to={paths.now} className="block rounded-control px-2 py-1 text-ink-2 text-meta hover:bg-hover">
          {more} more
        </Link>
      )}
    </section>
  )
}
