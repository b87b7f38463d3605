import type { PlatformEntry } from '@crewhall/contracts/identity/platform-audit.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import type { FormEvent } from 'react'
import { useNow, whenTold } from '../../../app/times.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Paging } from '../../../ui/paging.tsx'
import { ErrorState, RequestId, SkeletonRows, State } from '../../../ui/states.tsx'
import { ValueChange } from '../../../ui/value-change.tsx'
import { SettingsLayout } from '../settings-layout.tsx'
import { platformAuditQuery } from './platform-data.ts'

/** What concerns no single workspace. Ids only: people may have been erased. */
export function PlatformAuditPage() {
  const { cursor, actor } = useSearch({ strict: false })
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery({
    ...platformAuditQuery(cursor, actor),
    placeholderData: keepPreviousData,
  })
  const now = useNow()
  const about = actor ? { actor } : {}
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const person = String(new FormData(event.currentTarget).get('person') ?? '').trim()
    void navigate({ to: '.', search: person ? { actor: person } : {} })
  }
  return (
    <SettingsLayout title="Installation audit">
      <form onSubmit={submit} className="mb-3 flex flex-wrap items-center gap-2" aria-label="Filter">
        <input
          key={actor ?? ''}
          name="person"
          aria-label="Number of a person"
          placeholder="Number of a person"
          inputMode="numeric"
          defaultValue={actor ?? ''}
          className="h-[var(--ch-control)] w-44 rounded-control border border-line-control bg-surface px-2 placeholder:text-ink-3"
        />
        <button type="submit" className={buttonClass({})}>
          Filter
        </button>
        {actor !== undefined && (
          <Link to="." search={{}} className={buttonClass({ look: 'quiet' })}>
            Clear filters
          </Link>
        )}
      </form>
      {error && !data ? (
        <ErrorState error={error} what="The audit log" onRetry={() => void refetch()} />
      ) : (
        <div className="overflow-hidden rounded-card border border-line bg-surface">
          {data === undefined ? (
            <SkeletonRows rows={8} />
          ) : data.items.length === 0 ? (
            <State
              icon={ScrollText}
              title={actor === undefined ? 'Nothing recorded' : 'No entry fits the filter'}
            />
          ) : (
            <ul className="divide-y divide-line">
              {data.items.map((entry) => (
                <Entry key={entry.id} entry={entry} now={now} />
              ))}
            </ul>
          )}
        </div>
      )}
      <Paging
        first={cursor === undefined ? undefined : about}
        next={data?.next_before ? { ...about, cursor: String(data.next_before) } : undefined}
      />
    </SettingsLayout>
  )
}

const kinds: Readonly<Record<PlatformEntry['actor']['kind'], string>> = {
  person: 'Person',
  admin_key: 'Admin key',
  system: 'Crewhall',
  nobody: 'somebody not signed in',
}

function Entry({ entry, now }: { readonly entry: PlatformEntry; readonly now: number }) {
  const { action, actor, person_id, from, to, network, request_id, created_at } = entry
  return (
    <li className="grid gap-x-4 px-4 py-2.5 md:grid-cols-[14rem_1fr_auto]">
      <div className="min-w-0">
        <span className="break-all font-mono text-meta">{action}</span>
        <div className="text-ink-2 text-meta">
          by {kinds[actor.kind]} {actor.person_id ?? ''}
          {person_id !== null && person_id !== actor.person_id && (
            <>
              , about{' '}
              <Link to="." search={{ actor: String(person_id) }} className="text-link hover:underline">
                person {person_id}
              </Link>
            </>
          )}
        </div>
      </div>
      <div className="min-w-0">
        <ValueChange from={from} to={to} />
        {network !== null && <span className="font-mono text-ink-2 text-meta">from {network}</span>}
      </div>
      <div className="text-ink-2 md:text-right">
        <time dateTime={created_at} title={created_at}>
          {whenTold(created_at, now)}
        </time>
        {request_id !== null && (
          <div>
            <RequestId id={request_id} />
          </div>
        )}
      </div>
    </li>
  )
}
