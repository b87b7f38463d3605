import type { Delivery } from '@crewhall/contracts/webhooks/deliveries.ts'
import * as refused from '@crewhall/contracts/webhooks/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { findEndpoint, lockEndpoint } from '../endpoints/endpoints.store.ts'
import { insertArrival } from '../outbox/outbox.store.ts'
import { payloadOf } from '../outbox/payload.rules.ts'
import { presentDelivery } from './deliveries.present.ts'
import * as store from './deliveries.store.ts'

/** No delivery is newer. */
const aboveAll = 'infinity|0'
const testEvent = 'webhook.test'

interface DeliveryQuery {
  readonly status?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

export async function listDeliveriesOf(
  ctx: BrandCtx,
  cursors: Cursors,
  webhook_id: string,
  { status, limit, cursor }: DeliveryQuery,
): Promise<{ items: Delivery[]; next_cursor: string | null }> {
  if (!(await findEndpoint(ctx, webhook_id))) throw refused.webhookNotFound()
  const list = `deliveries:${ctx.brandId}:${webhook_id}`
  const position = cursor === undefined ? aboveAll : cursors.read(list, cursor)
  const [before_at, before_seq] = position?.split('|') ?? []
  if (!before_at || !before_seq) throw refused.unknownDeliveryCursor()
  const wanted = { webhook_id, status, before_at, before_seq, limit: limit + 1 }
  const rows = await store.listDeliveryPage(ctx, wanted)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  const next_cursor = last ? cursors.issue(list, `${last.created_at}|${last.seq}`) : null
  return { items: page.map(presentDelivery), next_cursor }
}

export const sendTest = (ctx: BrandCtx, webhook_id: string): Promise<Delivery> =>
  ctx.tx(async (ctx) => {
    const endpoint = await lockEndpoint(ctx, webhook_id)
    if (!endpoint) throw refused.webhookNotFound()
    if (!endpoint.is_enabled) throw refused.webhookDisabled()
    const created_at = ctx.now().toISOString()
    const payload = payloadOf({ type: testEvent, created_at, data: { webhook_id } })
    const row = await store.insertTest(ctx, { webhook_id, event: testEvent, payload })
    if (!row) throw new Error('nothing was inserted')
    return queued(ctx, webhook_id, row, 'tested')
  })

export const sendAgain = (
  ctx: BrandCtx,
  { webhook_id, delivery_id }: { webhook_id: string; delivery_id: string },
): Promise<Delivery> =>
  ctx.tx(async (ctx) => {
    const endpoint = await lockEndpoint(ctx, webhook_id)
    if (!endpoint) throw refused.webhookNotFound()
    const row = await store.updateQueued(ctx, { webhook_id, id: delivery_id })
    if (!row) throw refused.deliveryNotFound()
    if (!endpoint.is_enabled) throw refused.webhookDisabled()
    return queued(ctx, webhook_id, row, 'redelivered')
  })

async function queued(
  ctx: BrandTx,
  webhook_id: string,
  row: store.DeliveryRow,
  what: string,
): Promise<Delivery> {
  await insertArrival(ctx, webhook_id)
  const to = { delivery_id: row.id, event: row.event }
  await ctx.audit({ action: `webhook.${what}`, target: `webhook:${webhook_id}`, from: null, to })
  return presentDelivery(row)
}
