import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { ErasedPerson, Next } from '#platform/erasure/erasure-part.ts'
import * as store from './erase-deliveries.store.ts'

const bite = 500
const start: store.DeliveryPlace = {
  brand_id: 0,
  id: '00000000-0000-0000-0000-000000000000',
  created_at: '-infinity',
}

/** Pending deliveries and the log of past ones. What receivers got is theirs to erase. */
export const erasePersonFromDeliveries =
  (without: (value: unknown, person: number) => unknown) =>
  async (ctx: OutsideSystemCtx, { id: person }: ErasedPerson, position: string): Promise<Next> => {
    const after: store.DeliveryPlace = position ? JSON.parse(position) : start
    const named = `"id":"${person}"|"(user_id|person_id)":${person}[,}]`
    const bitten = await store.listDeliveriesAfter(ctx, after, bite, named)
    for (const { payload, ...place } of bitten) {
      if (payload === null) continue
      await store.updatePayload(ctx, place, JSON.stringify(without(JSON.parse(payload), person)))
    }
    const last = bitten.at(-1)
    if (!last) return undefined
    return JSON.stringify({ brand_id: last.brand_id, id: last.id, created_at: last.created_at })
  }

/** Endpoints first, so that nothing more is sent. */
export const webhookRowsOfBrand = [store.deleteEndpoints, store.deleteArrivals, store.deleteDeliveries]
