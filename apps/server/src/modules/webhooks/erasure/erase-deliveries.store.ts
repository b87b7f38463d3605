import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface DeliveryPlace {
  readonly brand_id: number
  readonly id: string
  readonly created_at: string
}
interface BittenRow extends DeliveryPlace {
  /** Null unless it names the person. */
  readonly payload: string | null
}

const next = statement<DeliveryPlace & { bite: number; named: string }, BittenRow>(
  (
    p,
  ) => sql`select brand_id, id, created_at, case when payload ~ ${p.named} then payload end as payload from webhooks.deliveries
   where (brand_id, id, created_at) > (${p.brand_id}, ${p.id}::uuid, ${p.created_at}) order by brand_id, id, created_at limit ${p.bite}`,
)
const replace = statement<DeliveryPlace & { payload: string }, unknown>(
  (p) =>
    sql`update webhooks.deliveries set payload = ${p.payload} where brand_id = ${p.brand_id} and id = ${p.id} and created_at = ${p.created_at}`,
)
const endpoints = deletingRows('webhooks.endpoints', 'id')
const arrivals = deletingRows('webhooks.arrivals', 'seq')
const deliveries = deletingRows('webhooks.deliveries', 'id', 'created_at')

export const listDeliveriesAfter = (ctx: SystemCtx, after: DeliveryPlace, bite: number, named: string) =>
  ctx.overBrands().db.all(next, { ...after, bite, named })
export const updatePayload = (ctx: SystemCtx, { brand_id, id, created_at }: DeliveryPlace, payload: string) =>
  ctx.overBrands().db.run(replace, { brand_id, id, created_at, payload })
export const deleteEndpoints = (ctx: BrandCtx, limit: number) => ctx.db.run(endpoints, { limit })
export const deleteArrivals = (ctx: BrandCtx, limit: number) => ctx.db.run(arrivals, { limit })
export const deleteDeliveries = (ctx: BrandCtx, limit: number) => ctx.db.run(deliveries, { limit })
