import { type Delivery, deliveryStatuses } from '@crewhall/contracts/webhooks/deliveries.ts'
import type { Webhook } from '@crewhall/contracts/webhooks/webhooks.ts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ListFilter, Send } from 'lucide-react'
import { boardsQuery } from '../../../app/boards.ts'
import { useNow } from '../../../app/times.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Panel } from '../../../ui/dialog.tsx'
import { Paging } from '../../../ui/paging.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { ErrorState, SkeletonRows, State } from '../../../ui/states.tsx'
import { DeliveryStatus } from '../../../ui/status.tsx'
import { useWide } from '../../../ui/use-wide.ts'
import { DeliveryDetail } from './delivery-detail.tsx'
import { type DeliveryFilter, deliveriesQuery } from './webhook-data.ts'
import { lastOf, momentTold } from './webhook-words.tsx'

const words: Readonly<Record<Delivery['status'], string>> = {
  pending: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
}

export function Deliveries({ hook }: { readonly hook: Webhook }) {
  const { state, cursor, delivery: openId } = useSearch({ strict: false })
  const status = deliveryStatuses.find((each) => each === state)
  const chosen = status ? { state: status } : {}
  const filter: DeliveryFilter = { ...(status ? { status } : {}), ...(cursor ? { cursor } : {}) }
  const { data, error, refetch } = useQuery({
    ...deliveriesQuery(hook.id, filter),
    placeholderData: keepPreviousData,
  })
  const navigate = useNavigate()
  const isWide = useWide()
  const open = data?.items.find(({ id }) => id === openId)
  const close = () =>
    void navigate({ to: '.', search: ({ delivery: _, ...others }) => others, replace: true })
  if (error && !data) return <ErrorState error={error} what="The deliveries" onRetry={() => void refetch()} />
  return (
    <div className="flex items-start gap-6">
      <section aria-label="Deliveries" className="min-w-0 grow">
        <Segments
          label="State"
          items={[
            { word: 'All', search: {}, isChosen: status === undefined },
            ...deliveryStatuses.map((each) => ({
              word: words[each],
              search: { state: each },
              isChosen: status === each,
            })),
          ]}
        />
        {data === undefined ? (
          <div className="rounded-card border border-line bg-surface">
            <SkeletonRows rows={6} />
          </div>
        ) : data.items.length === 0 ? (
          <Nothing status={status} />
        ) : (
          <DeliveryTable items={data.items} openId={openId} />
        )}
        <Paging
          first={cursor === undefined ? undefined : chosen}
          next={data?.next_cursor ? { ...chosen, cursor: data.next_cursor } : undefined}
        />
      </section>
      {open &&
        (isWide ? (
          <aside
            aria-label={`Delivery ${open.event}`}
            className="sticky top-0 w-80 shrink-0 rounded-card border border-line bg-surface p-4"
          >
            <DeliveryDetail hook={hook} delivery={open} onClose={close} />
          </aside>
        ) : (
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
        ))}
    </div>
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
      title={`No delivery is ${words[status].toLowerCase()}`}
      action={
        <Link to="." search={{}} className={buttonClass({})}>
          Show all
        </Link>
      }
    />
  )
}

interface TableProps {
  readonly items: readonly Delivery[]
  readonly openId: string | undefined
}

function DeliveryTable({ items, openId }: TableProps) {
  const now = useNow(5_000)
  const { data: boards } = useQuery(boardsQuery)
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <table className="w-full table-fixed">
        <thead>
          <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
            <th className="hidden w-28 px-4 font-medium md:table-cell">Time</th>
            <th className="px-4 font-medium">Event</th>
            <th className="hidden w-20 px-4 font-medium lg:table-cell">Board</th>
            <th className="w-28 px-4 font-medium">State</th>
            <th className="hidden w-16 px-4 text-right font-medium md:table-cell">Tries</th>
            <th className="hidden w-28 px-4 text-right font-medium md:table-cell">Last</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {items.map((each) => (
            <tr
              key={each.id}
              className={classNames(
                'relative h-[var(--ch-row)]',
                each.id === openId ? 'bg-selected' : 'hover:bg-hover',
              )}
            >
              <td
                className="hidden px-4 font-mono text-ink-2 text-meta md:table-cell"
                title={each.created_at}
              >
                {momentTold(each.created_at, now)}
              </td>
              <td className="px-4 py-1.5 font-mono text-meta">
                <Link
                  to="."
                  search={(before) => ({ ...before, delivery: each.id })}
                  aria-current={each.id === openId || undefined}
                  className="block break-all after:absolute after:inset-0"
                >
                  {each.event}
                </Link>
                <span className="block text-ink-2 text-micro md:hidden">
                  {momentTold(each.created_at, now)},{' '}
                  {each.attempts === 1 ? '1 try' : `${each.attempts} tries`}, {lastOf(each, now)}
                </span>
              </td>
              <td className="hidden px-4 font-mono text-ink-2 text-meta lg:table-cell">
                {boards?.items.find(({ id }) => id === each.board_id)?.key ?? '–'}
              </td>
              <td className="px-4">
                <DeliveryStatus status={each.status} />
              </td>
              <td className="hidden px-4 text-right md:table-cell">{each.attempts}</td>
              <td className="hidden px-4 text-right text-ink-2 md:table-cell">{lastOf(each, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
