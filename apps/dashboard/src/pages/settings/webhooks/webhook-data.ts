import { routesIn } from '@crewhall/contracts/routes-in.ts'
import type { Delivery } from '@crewhall/contracts/webhooks/deliveries.ts'
import * as deliveries from '@crewhall/contracts/webhooks/deliveries.ts'
import * as webhooks from '@crewhall/contracts/webhooks/webhooks.ts'
import { queryOptions } from '@tanstack/react-query'
import { apiOf } from '../../../api/api.ts'
import { queries } from '../../../app/queries.ts'

export const webhooksApi = apiOf({ webhooks: routesIn(webhooks, deliveries) })

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async ({ signal }) => (await webhooksApi.reading(signal).webhooks.listWebhooks()).body.items,
  // Webhooks tell others and not the stream: it would tell of itself.
  refetchInterval: 15_000,
})

export const webhookQuery = (webhook_id: string) =>
  queryOptions({
    queryKey: ['webhooks', webhook_id],
    queryFn: async ({ signal }) =>
      (await webhooksApi.reading(signal).webhooks.getWebhook({ params: { webhook_id } })).body,
    refetchInterval: 15_000,
  })

export interface DeliveryFilter {
  readonly status?: Delivery['status']
  readonly cursor?: string
}

const waitingMs = 2_000
const quietMs = 10_000

const triesIn = ({ items }: { readonly items: readonly Delivery[] }): string =>
  items.map(({ id, attempts, status }) => `${id} ${attempts} ${status}`).join()

/** One page of them, so that the longest history weighs no more than this. */
export const deliveriesQuery = (webhook_id: string, { status, cursor }: DeliveryFilter) =>
  queryOptions({
    queryKey: ['webhooks', webhook_id, 'deliveries', status ?? '', cursor ?? ''],
    queryFn: async ({ signal, queryKey }) => {
      const { body } = await webhooksApi.reading(signal).webhooks.listDeliveries({
        params: { webhook_id },
        query: { limit: '50', ...(status ? { status } : {}), ...(cursor ? { cursor } : {}) },
      })
      // A new try also decides whether the webhook is failing, and both are on one page.
      const before = queries.getQueryData<typeof body>(queryKey)
      if (before && triesIn(before) !== triesIn(body))
        void queries.invalidateQueries({ queryKey: ['webhooks', webhook_id], exact: true })
      return body
    },
    refetchInterval: ({ state }) =>
      state.data?.items.some((each) => each.status === 'pending') ? waitingMs : quietMs,
  })

const mostRecent = 100

/** The newest of one state or of all: what is told of them as a whole is told of these. */
export const recentQuery = (webhook_id: string, status?: Delivery['status']) =>
  queryOptions({
    queryKey: ['webhooks', webhook_id, 'recent', status ?? ''],
    queryFn: async ({ signal }) => {
      const query = { limit: String(mostRecent), ...(status ? { status } : {}) }
      const list = webhooksApi.reading(signal).webhooks
      return (await list.listDeliveries({ params: { webhook_id }, query })).body
    },
    refetchInterval: quietMs,
  })

export const readWebhooksAgain = () => queries.invalidateQueries({ queryKey: ['webhooks'] })
