import { type Delivery, deliveryStatuses } from '@crewhall/contracts/webhooks/deliveries.ts'
import type { Webhook } from '@crewhall/contracts/webhooks/webhooks.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ListFilter, Send } from 'lucide-react'
import { boardsQuery } from '../../../app/boards.ts'
import { useNow } from '../../../app/times.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { Panel } from '../../../ui/dialog.tsx'
import { Paging } from '../../../ui/paging.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { State } from '../../../ui/states.tsx'
import { DeliveryStatus } from '../../../ui/status.tsx'
import { type Reading, Table } from '../../../ui/table.tsx'
import { useWide } from '../../../ui/use-wide.ts'
import { DeliveryChart } from './delivery-chart.tsx'
import { DeliveryDetail } from './delivery-detail.tsx'
import { type DeliveryFilter, deliveriesQuery, recentQuery } from './webhook-data.ts'
import { lastOf, momentTold } from './webhook-words.tsx'

const words: Readonly<Record<Delivery['status'], string>> = {
  pending: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
}

const sayings: Readonly<Record<Delivery['status'], string>> = {
  pending: 'waits',
  delivered: 'has arrived',
  failed: 'has failed',
}

/** The page of deliveries that the address names, and which of them is open. */
function useDeliveries(hook: Webhook) {
  const { state, cursor, delivery: openId } = useSearch({ strict: false })
  const status = deliveryStatuses.find((each) => each === state)
  const filter: DeliveryFilter = { ...(status ? { status } : {}), ...(cursor ? { cursor } : {}) }
  const { data, error, refetch } = useQuery({
    ...deliveriesQuery(hook.id, filter),
    placeholderData: keepPreviousData,
  })
  const open = data?.items.find(({ id }) => id === openId)
  const navigate = useNavigate()
  const close = () =>
    void navigate({ to: '.', search: ({ delivery: _, ...others }) => others, replace: true })
  return { status, cursor, data, error, refetch, openId, open, close }
}

/** How many have that state, if any; `100+` where there are more than are counted. */
function useCount(hook: Webhook, status: Delivery['status']): string | undefined {
  const { data } = useQuery(recentQuery(hook.id, status))
  if (!data || data.items.length === 0) return undefined
  return `${data.items.length}${data.next_cursor === null ? '' : '+'}`
}

/** The open delivery beside the page, where there is room. */
export function DeliveryPane({ hook }: { readonly hook: Webhook }) {
  const { open, close } = useDeliveries(hook)
  if (!useWide() || !open) return null
  return (
    <aside aria-label={`Delivery ${open.event}`} className="w-80 shrink-0 border-line border-l bg-surface">
      <div className="sticky top-0 max-h-[calc(100dvh-var(--ch-topbar))] overflow-y-auto p-6 pt-5">
        <DeliveryDetail hook={hook} delivery={open} onClose={close} />
      </div>
    </aside>
  )
}

export function Deliveries({ hook }: { readonly hook: Webhook }) {
  const { status, cursor, data, error, refetch, openId, open, close } = useDeliveries(hook)
  const chosen = status ? { state: status } : {}
  const isWide = useWide()
  // Those that were delivered are the others.
  const counts = {
    pending: useCount(hook, 'pending'),
    failed: useCount(hook, 'failed'),
    delivered: undefined,
  }
  return (
    <>
      <DeliveryChart hook={hook} />
      <section aria-label="Deliveries">
        <Segments
          label="State"
          items={[
            { word: 'All', search: {}, isChosen: status === undefined },
            ...deliveryStatuses.map((each) => ({
              word: words[each],
              search: { state: each },
              isChosen: status === each,
              count: counts[each],
            })),
          ]}
        />
        <DeliveryTable
          read={{ what: 'The deliveries', error, refetch }}
          items={data?.items}
          status={status}
          openId={openId}
        />
        <Paging
          first={cursor === undefined ? undefined : chosen}
          next={data?.next_cursor ? { ...chosen, cursor: data.next_cursor } : undefined}
        />
      </section>
      {open && !isWide && (
        <Panel
          open
          onOpenChange={(isOpen) => !isOpen && close()}
          title={`Delivery ${open.event}`}
          header={<span className="font-semibold">Delivery</span>}
        >
          <div className="p-5">
            <DeliveryDetail hook={hook} delivery={open} onClose={close} />
          </div>
        </Panel>
      )}
    </>
  )
}

function Nothing({ status }: { readonly status: Delivery['status'] | undefined }) {
  if (status === undefined)
    return (
      <State icon={Send} title="Nothing sent yet">
        The next event that it asks for is sent at once. Send a test to see that it arrives.
      </State>
    )
  return (
    <State
      icon={ListFilter}
      title={`No delivery ${sayings[status]}`}
      action={
        <Link to="." search={{}} className={buttonClass({})}>
          Show all
        </Link>
      }
    />
  )
}

interface TableProps {
  readonly read: Reading
  readonly items: readonly Delivery[] | undefined
  readonly status: Delivery['status'] | undefined
  readonly openId: string | undefined
}

function DeliveryTable({ read, items, status, openId }: TableProps) {
  const now = useNow(5_000)
  const { data: boards } = useQuery(boardsQuery)
  return (
    <Table
      read={read}
      rows={items}
      keyOf={({ id }) => id}
      expected={6}
      isLinked
      isOpen={({ id }) => id === openId}
      empty={<Nothing status={status} />}
      columns={[
        {
          name: 'Time',
          width: 'w-28',
          from: 'md',
          look: 'font-mono text-ink-2 text-meta',
          title: ({ created_at }) => created_at,
          cell: ({ created_at }) => momentTold(created_at, now),
        },
        {
          name: 'Event',
          look: 'font-mono text-meta',
          cell: (each) => (
            <>
              <Link
                to="."
                search={(before) => ({ ...before, delivery: each.id })}
                aria-current={each.id === openId || undefined}
                className="block break-all after:absolute after:inset-0"
              >
                {each.event}
              </Link>
              <span className="block text-ink-2 text-micro md:hidden">
                {momentTold(each.created_at, now)}, {each.attempts === 1 ? '1 try' : `${each.attempts} tries`}
                , {lastOf(each, now)}
              </span>
            </>
          ),
        },
        {
          name: 'Board',
          width: 'w-20',
          from: 'lg',
          look: 'font-mono text-ink-2 text-meta',
          cell: ({ board_id }) => boards?.items.find(({ id }) => id === board_id)?.key ?? '–',
        },
        { name: 'State', width: 'w-28', cell: (each) => <DeliveryStatus status={each.status} /> },
        { name: 'Tries', width: 'w-16', from: 'md', atEnd: true, cell: ({ attempts }) => attempts },
        {
          name: 'Last',
          width: 'w-28',
          from: 'md',
          atEnd: true,
          look: 'text-ink-2',
          cell: (each) => lastOf(each, now),
        },
      ]}
    />
  )
}
