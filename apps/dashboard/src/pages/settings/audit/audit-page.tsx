import { routesIn } from '@crewhall/contracts/routes-in.ts'
import type { AuditEntry } from '@crewhall/contracts/workspaces/audit.ts'
import * as audit from '@crewhall/contracts/workspaces/audit.ts'
import * as members from '@crewhall/contracts/workspaces/members.ts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { ListFilter, ScrollText } from 'lucide-react'
import { apiOf } from '../../../api/api.ts'
import { problemOf } from '../../../api/problem.ts'
import { useBrand } from '../../../app/session.ts'
import { useNow, whenTold } from '../../../app/times.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { Paging } from '../../../ui/paging.tsx'
import { ErrorState, RequestId, SkeletonRows, State } from '../../../ui/states.tsx'
import { ValueChange } from '../../../ui/value-change.tsx'
import { SettingsLayout } from '../settings-layout.tsx'
import { AuditFilters } from './audit-filters.tsx'

const api = apiOf({ workspaces: routesIn(audit, members) })

export interface AuditFilter {
  readonly actor?: string
  readonly action?: string
}

const pageSize = 50

const auditQuery = (brand_id: string, filter: AuditFilter, since: string | undefined) =>
  queryOptions({
    queryKey: ['audit', brand_id, filter, since ?? ''],
    queryFn: async ({ signal }) =>
      (
        await api.reading(signal).workspaces.listAudit({
          params: { brand_id },
          query: { order: 'newest_first', limit: String(pageSize), ...filter, ...(since ? { since } : {}) },
        })
      ).body,
    // Nothing tells of entries; older pages no longer change.
    refetchInterval: since === undefined ? 15_000 : false,
  })

/** Who can be asked about: the members of now, as many as one page holds. */
const peopleQuery = (brand_id: string) =>
  queryOptions({
    queryKey: ['members', brand_id, 'names'],
    queryFn: async ({ signal }) =>
      (await api.reading(signal).workspaces.listMembers({ params: { brand_id }, query: { per_page: '100' } }))
        .body.members,
  })

export function AuditPage() {
  const { brand_id } = useBrand()
  const { actor, action, cursor } = useSearch({ strict: false })
  const filter: AuditFilter = { ...(actor ? { actor } : {}), ...(action ? { action } : {}) }
  const { data, error, refetch } = useQuery({
    ...auditQuery(brand_id, filter, cursor),
    placeholderData: keepPreviousData,
  })
  const { data: people = [] } = useQuery({ ...peopleQuery(brand_id), enabled: data !== undefined })
  const isAllowed = problemOf(error).kind !== 'forbidden'
  const isFiltered = actor !== undefined || action !== undefined
  return (
    <SettingsLayout title="Audit">
      {isAllowed && (
        <AuditFilters
          filter={filter}
          people={people}
          actions={[...new Set(data?.items.map((entry) => entry.action))].sort()}
        />
      )}
      {error && !data ? (
        <ErrorState error={error} what="The audit log" onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <div className="rounded-card border border-line bg-surface">
          <SkeletonRows rows={8} />
        </div>
      ) : data.items.length === 0 ? (
        <Nothing isFiltered={isFiltered} isLast={cursor !== undefined} />
      ) : (
        <Entries items={data.items} />
      )}
      <Paging
        first={cursor === undefined ? undefined : { ...filter }}
        next={data && data.items.length === pageSize ? { ...filter, cursor: data.next_cursor } : undefined}
      />
    </SettingsLayout>
  )
}

function Nothing({ isFiltered, isLast }: { readonly isFiltered: boolean; readonly isLast: boolean }) {
  if (isLast) return <State icon={ScrollText} title="No older entries" />
  if (!isFiltered)
    return (
      <State icon={ScrollText} title="Nothing recorded yet">
        Changes of settings and permissions are recorded here, with who made them.
      </State>
    )
  return (
    <State
      icon={ListFilter}
      title="No entry fits the filters"
      action={
        <Link to="." search={{}} className={buttonClass({})}>
          Clear filters
        </Link>
      }
    />
  )
}

function Entries({ items }: { readonly items: readonly AuditEntry[] }) {
  const now = useNow()
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <table className="w-full table-fixed max-md:block">
        <thead className="max-md:hidden">
          <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
            <th className="w-44 px-4 font-medium">Who</th>
            <th className="w-52 px-4 font-medium">What</th>
            <th className="px-4 font-medium">From, to</th>
            <th className="hidden w-78 px-4 font-medium xl:table-cell">Request</th>
            <th className="w-28 px-4 text-right font-medium">When</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line max-md:block">
          {items.map((entry) => (
            <Entry key={entry.id} entry={entry} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Entry({ entry, now }: { readonly entry: AuditEntry; readonly now: number }) {
  const { actor, action, target, from, to, request_id, created_at, credential } = entry
  const name = actor.agent ?? actor.name ?? kindWords[actor.kind]
  return (
    <tr className="h-[var(--ch-row-2)] align-top max-md:block max-md:h-auto max-md:px-4 max-md:py-2">
      <td className="px-4 py-2 max-md:block max-md:p-0">
        <div className="flex items-start gap-2">
          <Avatar
            name={name}
            id={actor.agent_id ?? String(actor.user_id ?? actor.kind)}
            kind={actor.kind === 'person' && actor.agent === undefined ? 'person' : 'agent'}
            size={20}
          />
          <div className="min-w-0">
            <div className="break-words font-medium">{name}</div>
            <div className="break-words text-ink-2 text-meta">
              {[
                ...(actor.agent !== undefined && actor.name !== null ? [`for ${actor.name}`] : []),
                ...(credential === null ? [] : [credentialWords[credential.kind]]),
              ].join(', ')}
            </div>
          </div>
        </div>
      </td>
      <td className="px-4 py-2 max-md:block max-md:p-0 max-md:pt-1">
        <Link
          to="."
          search={({ actor: by }) => ({ ...(by ? { actor: by } : {}), action })}
          className="break-all rounded-tag font-mono text-meta hover:underline"
          title={`Only ${action}`}
        >
          {action}
        </Link>
        <div className="break-all font-mono text-ink-2 text-meta">{target}</div>
        {request_id !== null && (
          <div className="break-all xl:hidden">
            <RequestId id={request_id} />
          </div>
        )}
      </td>
      <td className="px-4 py-2 max-md:block max-md:p-0">
        <ValueChange from={from} to={to} />
      </td>
      <td className="hidden break-all px-4 py-2 xl:table-cell">
        {request_id === null ? '–' : <RequestId id={request_id} />}
      </td>
      <td className="px-4 py-2 text-right text-ink-2 max-md:block max-md:p-0 max-md:text-left max-md:text-meta">
        <time dateTime={created_at} title={created_at}>
          {whenTold(created_at, now)}
        </time>
      </td>
    </tr>
  )
}

const kindWords: Readonly<Record<AuditEntry['actor']['kind'], string>> = {
  person: 'Somebody',
  admin_key: 'Whoever runs this installation',
  system: 'Crewhall',
  nobody: 'Somebody not signed in',
  desk: 'A desk',
}
const credentialWords: Readonly<Record<NonNullable<AuditEntry['credential']>['kind'], string>> = {
  token: 'by token',
  session: 'signed in',
  admin_key: 'by admin key',
}
