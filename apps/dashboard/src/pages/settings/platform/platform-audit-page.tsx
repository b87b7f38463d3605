import type { PlatformEntry } from '@crewhall/contracts/identity/platform-audit.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import type { FormEvent } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { useNow, whenTold } from '../../../app/times.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Paging } from '../../../ui/paging.tsx'
import { RequestId, State } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
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
      {problemOf(error).kind !== 'forbidden' && (
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
      )}
      <Table
        read={{ what: 'The audit log', error, refetch }}
        rows={data?.items}
        keyOf={({ id }) => id}
        expected={8}
        lines={2}
        phoneCards
        empty={
          <State
            icon={ScrollText}
            title={actor === undefined ? 'Nothing recorded' : 'No entry fits the filter'}
          />
        }
        columns={[
          {
            name: 'What, by whom',
            width: 'w-60',
            look: 'align-top',
            cell: (entry) => <What entry={entry} />,
          },
          {
            name: 'From, to',
            look: 'align-top',
            cell: ({ from, to, network }) => (
              <>
                <ValueChange from={from} to={to} />
                {network !== null && <span className="font-mono text-ink-2 text-meta">from {network}</span>}
              </>
            ),
          },
          {
            name: 'When',
            width: 'w-78',
            atEnd: true,
            look: 'align-top text-ink-2',
            cell: ({ created_at, request_id }) => (
              <>
                <time dateTime={created_at} title={created_at}>
                  {whenTold(created_at, now)}
                </time>
                {request_id !== null && (
                  <div className="break-all">
                    <RequestId id={request_id} />
                  </div>
                )}
              </>
            ),
          },
        ]}
      />
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

function What({ entry }: { readonly entry: PlatformEntry }) {
  const { action, actor, person_id } = entry
  return (
    <>
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
    </>
  )
}
