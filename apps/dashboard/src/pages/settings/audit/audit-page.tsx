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
import { RequestId, State } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
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
  const now = useNow()
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
      <Table
        read={{ what: 'The audit log', error, refetch }}
        rows={data?.items}
        keyOf={({ id }) => id}
        expected={8}
        lines={2}
        phoneCards
        empty={<Nothing isFiltered={isFiltered} isLast={cursor !== undefined} />}
        columns={[
          { name: 'Who', width: 'w-44', look: 'align-top', cell: (entry) => <Actor entry={entry} /> },
          { name: 'What', width: 'w-60', look: 'align-top', cell: (entry) => <Deed entry={entry} /> },
          {
            name: 'From, to',
            look: 'align-top',
            cell: ({ from, to }) => <ValueChange from={from} to={to} />,
          },
          {
            name: 'Request',
            width: 'w-48',
            from: 'xl',
            look: 'align-top',
            cell: ({ request_id }) => (request_id === null ? '–' : <RequestId id={request_id} isShort />),
          },
          {
            name: 'When',
            width: 'w-28',
            atEnd: true,
            look: 'align-top text-ink-2',
            cell: ({ created_at }) => (
              <time dateTime={created_at} title={created_at}>
                {whenTold(created_at, now)}
              </time>
            ),
          },
        ]}
      />
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

function Actor({ entry: { actor, credential } }: { readonly entry: AuditEntry }) {
  const name = actor.agent ?? actor.name ?? kindWords[actor.kind]
  return (
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
  )
}

function Deed({ entry: { action, target, request_id } }: { readonly entry: AuditEntry }) {
  return (
    <>
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
    </>
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
