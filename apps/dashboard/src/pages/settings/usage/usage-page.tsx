import type { UsageEntry } from '@crewhall/contracts/conversations/usage.ts'
import * as usage from '@crewhall/contracts/conversations/usage.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Gauge } from 'lucide-react'
import { apiOf } from '../../../api/api.ts'
import { clockTime, dayTold, useNow } from '../../../app/times.ts'
import { Paging } from '../../../ui/paging.tsx'
import { State } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
import { SettingsLayout } from '../settings-layout.tsx'

const api = apiOf({ conversations: routesIn(usage) })

const usageQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['usage', cursor ?? ''],
    queryFn: async ({ signal }) =>
      (
        await api
          .reading(signal)
          .conversations.getUsage({ query: { limit: '50', ...(cursor ? { cursor } : {}) } })
      ).body,
    refetchInterval: cursor === undefined ? 30_000 : false,
  })

const purposeWords: Readonly<Record<UsageEntry['purpose'], string>> = {
  reading: 'Reading conversations',
  consolidation: 'Consolidating memories',
  recall: 'Recalling memories',
}

export function UsagePage() {
  const { cursor } = useSearch({ strict: false })
  const now = useNow()
  const { data, error, refetch } = useQuery({ ...usageQuery(cursor), placeholderData: keepPreviousData })
  return (
    <SettingsLayout title="Usage">
      <div className="max-w-280">
        <p className="mb-4 text-ink-2">
          What agents' memory has cost: calls of the language model, and their tokens.
          {data && ` Today's limits start again at ${clockTime(Date.parse(data.today.resets_at))}.`}
        </p>
        {data && (
          <ul className="mb-6 divide-y divide-line overflow-hidden rounded-card border border-line bg-surface">
            <Meter name="Calls today" used={data.today.calls} most={data.today.call_limit} />
            <Meter name="Tokens today" used={data.today.tokens} most={data.today.token_limit} />
            <Meter name="Recalls today" used={data.today.recall.calls} most={data.today.recall.call_limit} />
            <Meter
              name="Tokens of recalls today"
              used={data.today.recall.tokens}
              most={data.today.recall.token_limit}
            />
          </ul>
        )}
        <Table
          read={{ what: 'The usage', error, refetch }}
          rows={data?.usage}
          keyOf={({ day, purpose, agent_id, source_id }) => [day, purpose, agent_id, source_id].join(' ')}
          expected={6}
          empty={
            <State icon={Gauge} title="Nothing used yet">
              Days appear here when conversations are read or memories recalled.
            </State>
          }
          columns={[
            { name: 'Day', width: 'w-20', look: 'text-ink-2', cell: ({ day }) => dayTold(day, now) },
            {
              name: 'For',
              cell: ({ purpose, agent_id }) => (
                <>
                  {purposeWords[purpose]}
                  <span className="block break-all font-mono text-ink-2 text-micro md:hidden">
                    {agent_id}
                  </span>
                </>
              ),
            },
            {
              name: 'Agent',
              from: 'md',
              look: 'break-all font-mono text-ink-2 text-meta',
              cell: ({ agent_id }) => agent_id,
            },
            { name: 'Calls', width: 'w-20', atEnd: true, cell: ({ calls }) => figure(calls) },
            { name: 'Tokens', width: 'w-28', atEnd: true, cell: ({ tokens }) => figure(tokens) },
          ]}
        />
        <Paging
          first={cursor === undefined ? undefined : {}}
          next={data?.next_cursor ? { cursor: data.next_cursor } : undefined}
        />
      </div>
    </SettingsLayout>
  )
}

const figure = (value: number): string => value.toLocaleString('en-GB')

interface MeterProps {
  readonly name: string
  readonly used: number
  readonly most: number | null
}

function Meter({ name, used, most }: MeterProps) {
  const share = most === null || most === 0 ? 0 : Math.min(1, used / most)
  return (
    <li className="flex min-h-11 items-center gap-4 px-4 py-1">
      <span className="w-44 font-medium md:shrink-0">{name}</span>
      <span className="h-1.5 grow overflow-hidden rounded-full bg-sunken max-md:hidden" aria-hidden>
        {most !== null && (
          <span
            className={`block h-full ${share >= 1 ? 'bg-bad-mark' : 'bg-ink'}`}
            style={{ width: `${share * 100}%` }}
          />
        )}
      </span>
      <span className="ml-auto shrink-0 text-right md:w-44">
        {most === null ? `${figure(used)}, no limit` : `${figure(used)} of ${figure(most)}`}
      </span>
    </li>
  )
}
