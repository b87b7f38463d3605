import type { Delivery } from '@crewhall/contracts/webhooks/deliveries.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'

export type DeliveryRow = Delivery & { readonly seq: string }

const columns = `id, seq::text as seq, event, board_id, status, attempts, next_attempt_at, last_attempt_at,
   last_status, last_error, created_at, delivered_at, coalesce(tries, '[]') as tries`

interface Page {
  readonly webhook_id: string
  /** Only those that are older; the time says which days to look into. */
  readonly before_at: string
  readonly before_seq: string
  readonly limit: number
}

// None is newer than now; a day more is for clocks that differ.
const newestFirst = (p: Named<Page>) =>
  sql`and (created_at, deliveries.seq) < (${p.before_at}::timestamptz, ${p.before_seq}::bigint)
     and created_at <= least(${p.before_at}::timestamptz, platform.now() + interval '1 day')
   order by created_at desc, deliveries.seq desc limit ${p.limit}`
// A text for each, so that each is read from the index that has its columns.
const list = brandStatement<Page, DeliveryRow>(
  (p) => sql`select ${columns} from webhooks.deliveries where brand_id = ${p.brand_id}
     and webhook_id = ${p.webhook_id} ${newestFirst(p)}`,
)
const listOfStatus = brandStatement<Page & { status: string }, DeliveryRow>(
  (p) => sql`select ${columns} from webhooks.deliveries
   where brand_id = ${p.brand_id} and webhook_id = ${p.webhook_id} and status = ${p.status} ${newestFirst(p)}`,
)
const addTest = brandStatement<{ webhook_id: string; event: string; payload: string }, DeliveryRow>(
  (p) => sql`insert into webhooks.deliveries (brand_id, webhook_id, event, payload)
   values (${p.brand_id}, ${p.webhook_id}, ${p.event}, ${p.payload}) returning ${columns}`,
)
// From the first rung of the ladder, and under the id that it has always had.
const again = brandStatement<{ webhook_id: string; id: string }, DeliveryRow>(
  (p) => sql`update webhooks.deliveries
   set status = 'pending', rung = 0, queued_at = platform.now(), next_attempt_at = platform.now(),
     delivered_at = null
   where brand_id = ${p.brand_id} and webhook_id = ${p.webhook_id} and id = ${p.id} returning ${columns}`,
)

export const listDeliveryPage = (
  ctx: BrandCtx,
  { status, ...page }: Page & { status: string | undefined },
) => (status === undefined ? ctx.db.all(list, { ...page }) : ctx.db.all(listOfStatus, { ...page, status }))
export const insertTest = (ctx: BrandTx, test: { webhook_id: string; event: string; payload: string }) =>
  ctx.db.first(addTest, { ...test })
export const updateQueued = (ctx: BrandTx, place: { webhook_id: string; id: string }) =>
  ctx.db.first(again, { ...place })
