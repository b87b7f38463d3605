import type { Delivery } from '@crewhall/contracts/webhooks/deliveries.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export type DeliveryRow = Delivery & { readonly seq: string }

const columns = `id, seq::text as seq, event, board_id, status, attempts, next_attempt_at, last_attempt_at,
   last_status, last_error, created_at, delivered_at`

interface Page {
  readonly brand_id: number
  readonly webhook_id: string
  /** Only those that are older; the time says which days to look into. */
  readonly before_at: string
  readonly before_seq: string
  readonly limit: number
}

// None is newer than now; a day more is for clocks that differ.
const newestFirst = `and (created_at, deliveries.seq) < ($3::timestamptz, $4::bigint)
     and created_at <= least($3::timestamptz, platform.now() + interval '1 day')
   order by created_at desc, deliveries.seq desc limit $5`
// A text for each, so that each is read from the index that has its columns.
const list = sqlStatement<Page, DeliveryRow>(
  `select ${columns} from webhooks.deliveries where brand_id = $1 and webhook_id = $2 ${newestFirst}`,
  'brand_id',
  'webhook_id',
  'before_at',
  'before_seq',
  'limit',
)
const listOfStatus = sqlStatement<Page & { status: string }, DeliveryRow>(
  `select ${columns} from webhooks.deliveries
   where brand_id = $1 and webhook_id = $2 and status = $6 ${newestFirst}`,
  'brand_id',
  'webhook_id',
  'before_at',
  'before_seq',
  'limit',
  'status',
)
const addTest = sqlStatement<
  { brand_id: number; webhook_id: string; event: string; payload: string },
  DeliveryRow
>(
  `insert into webhooks.deliveries (brand_id, webhook_id, event, payload)
   values ($1, $2, $3, $4) returning ${columns}`,
  'brand_id',
  'webhook_id',
  'event',
  'payload',
)
// From the first rung of the ladder, and under the id that it has always had.
const again = sqlStatement<{ brand_id: number; webhook_id: string; id: string }, DeliveryRow>(
  `update webhooks.deliveries
   set status = 'pending', rung = 0, queued_at = platform.now(), next_attempt_at = platform.now(),
     delivered_at = null
   where brand_id = $1 and webhook_id = $2 and id = $3 returning ${columns}`,
  'brand_id',
  'webhook_id',
  'id',
)

export const listDeliveryPage = (
  ctx: BrandCtx,
  { status, ...page }: Omit<Page, 'brand_id'> & { status: string | undefined },
) =>
  status === undefined
    ? ctx.db.all(list, { brand_id: ctx.brandId, ...page })
    : ctx.db.all(listOfStatus, { brand_id: ctx.brandId, ...page, status })
export const insertTest = (ctx: BrandTx, test: { webhook_id: string; event: string; payload: string }) =>
  ctx.db.first(addTest, { brand_id: ctx.brandId, ...test })
export const updateQueued = (ctx: BrandTx, place: { webhook_id: string; id: string }) =>
  ctx.db.first(again, { brand_id: ctx.brandId, ...place })
