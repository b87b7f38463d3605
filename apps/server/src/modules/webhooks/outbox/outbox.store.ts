import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

interface Queued {
  readonly event: string
  readonly board_id: string | null
  readonly payload: string
  readonly patterns: readonly string[]
}

// Every change of every board runs this, mostly to find that the workspace has no webhook. The time is that of the
// statement: under the lock of the board it rises in the order of commits, and from event to event.
const add = brandStatement<{ queued: string }, unknown>(
  (p) => sql`with added as (
     insert into webhooks.deliveries (brand_id, webhook_id, event, board_id, payload, next_attempt_at)
     select ${p.brand_id}, e.id, q.event, q.board_id, q.payload,
       platform.clock_now() + q.at * interval '1 microsecond'
     from rows from (json_to_recordset(${p.queued}::json) as (event text, board_id uuid, payload text, patterns text[]))
       with ordinality as q (event, board_id, payload, patterns, at)
     join webhooks.endpoints e on e.brand_id = ${p.brand_id} and e.is_enabled and e.events && q.patterns
       and (e.board_ids is null or q.board_id = any(e.board_ids))
     order by q.at
     returning webhook_id)
   insert into webhooks.arrivals (brand_id, webhook_id) select distinct ${p.brand_id}, webhook_id from added`,
)
const arrive = brandStatement<{ webhook_id: string }, unknown>(
  (p) => sql`insert into webhooks.arrivals (brand_id, webhook_id) values (${p.brand_id}, ${p.webhook_id})`,
)

/** In their order. Returns how many endpoints get any. */
export const insertDeliveries = (ctx: BrandTx, queued: readonly Queued[]) =>
  ctx.db.run(add, { queued: JSON.stringify(queued) })
/** Makes senders look at this endpoint soon. */
export const insertArrival = (ctx: BrandTx, webhook_id: string) => ctx.db.run(arrive, { webhook_id })
