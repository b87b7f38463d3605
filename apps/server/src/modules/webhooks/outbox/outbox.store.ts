import type { BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

interface Queued {
  readonly event: string
  readonly board_id: string | null
  readonly payload: string
}

// Every change of every board runs this, mostly to find that the workspace has no webhook. The time is that of the
// statement: under the lock of the board it rises in the order of commits.
const add = sqlStatement<Queued & { brand_id: number; patterns: readonly string[] }, unknown>(
  `with added as (
     insert into webhooks.deliveries (brand_id, webhook_id, event, board_id, payload, next_attempt_at)
     select $1, e.id, $2, $3, $4, platform.clock_now() from webhooks.endpoints e
     where e.brand_id = $1 and e.is_enabled and e.events && $5::text[]
       and (e.board_ids is null or $3::uuid = any(e.board_ids))
     returning webhook_id)
   insert into webhooks.arrivals (brand_id, webhook_id) select $1, webhook_id from added`,
  'brand_id',
  'event',
  'board_id',
  'payload',
  'patterns',
)
const arrive = sqlStatement<{ brand_id: number; webhook_id: string }, unknown>(
  'insert into webhooks.arrivals (brand_id, webhook_id) values ($1, $2)',
  'brand_id',
  'webhook_id',
)

export const insertDeliveries = (ctx: BrandTx, queued: Queued & { patterns: readonly string[] }) =>
  ctx.db.run(add, { brand_id: ctx.brandId, ...queued })
/** Whoever sends looks at this endpoint soon. */
export const insertArrival = (ctx: BrandTx, webhook_id: string) =>
  ctx.db.run(arrive, { brand_id: ctx.brandId, webhook_id })
