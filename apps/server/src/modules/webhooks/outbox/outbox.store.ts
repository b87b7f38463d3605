import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

interface Queued {
  readonly event: string
  readonly board_id: string | null
  readonly payload: string
}

// Every change of every board runs this, mostly to find that the workspace has no webhook. The time is that of the
// statement: under the lock of the board it rises in the order of commits.
const add = brandStatement<Queued & { patterns: readonly string[] }, unknown>(
  (p) => sql`with added as (
     insert into webhooks.deliveries (brand_id, webhook_id, event, board_id, payload, next_attempt_at)
     select ${p.brand_id}, e.id, ${p.event}, ${p.board_id}, ${p.payload}, platform.clock_now()
       from webhooks.endpoints e
     where e.brand_id = ${p.brand_id} and e.is_enabled and e.events && ${p.patterns}::text[]
       and (e.board_ids is null or ${p.board_id}::uuid = any(e.board_ids))
     returning webhook_id)
   insert into webhooks.arrivals (brand_id, webhook_id) select ${p.brand_id}, webhook_id from added`,
)
const arrive = brandStatement<{ webhook_id: string }, unknown>(
  (p) => sql`insert into webhooks.arrivals (brand_id, webhook_id) values (${p.brand_id}, ${p.webhook_id})`,
)

export const insertDeliveries = (ctx: BrandTx, queued: Queued & { patterns: readonly string[] }) =>
  ctx.db.run(add, { ...queued })
/** Makes senders look at this endpoint soon. */
export const insertArrival = (ctx: BrandTx, webhook_id: string) => ctx.db.run(arrive, { webhook_id })
