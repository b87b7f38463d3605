import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'
import type { SummaryRow } from '../cards/cards.store.ts'

export interface ClaimRow {
  readonly claim_id: string | null
  readonly claim_holder: Actor | null
  readonly claim_epoch: number
  readonly claim_expires_at: string | null
}

const columns = 'claim_id, claim_holder, claim_epoch, claim_expires_at'
type Card = { brand_id: number; id: string }

// The clock of the database decides, so a lease ends also while every process of ours is down.
const take = sqlStatement<Card & { holder: string; seconds: number }, ClaimRow>(
  `update boards.cards set claim_id = gen_random_uuid(), claim_holder = $3::jsonb, claim_epoch = claim_epoch + 1,
     claim_expires_at = platform.clock_now() + make_interval(secs => $4)
   where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
  'holder',
  'seconds',
)
const extend = sqlStatement<Card & { seconds: number }, ClaimRow>(
  `update boards.cards set claim_expires_at = platform.clock_now() + make_interval(secs => $3)
   where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
  'seconds',
)
const end = sqlStatement<Card, unknown>(
  `update boards.cards set claim_id = null, claim_holder = null, claim_expires_at = null
   where brand_id = $1 and id = $2`,
  'brand_id',
  'id',
)
// What a guest has written is worked on by those who name it; it is handed to nobody who takes what comes.
const ready = sqlStatement<
  { brand_id: number; board_id: string; task_type: string | null; limit: number },
  SummaryRow
>(
  `select c.id, c.number, c.title, c.status, c.column_id, k.name as column_name, c.assignee, c.branch,
     c.pr_number, c.pr_state
   from boards.columns k
   cross join lateral (
     select * from boards.cards p
     where p.brand_id = $1 and p.board_id = $2 and p.column_id = k.id and p.archived_at is null
       and p.open_blockers = 0 and p.status in ('pending', 'in_progress')
       and p.source <> 'guest'
       and ($3::text is null or p.task_type = $3)
       and (p.claim_expires_at is null or p.claim_expires_at <= platform.clock_now())
     order by p.rank limit $4
   ) c
   where k.brand_id = $1 and k.board_id = $2 and k.status in ('pending', 'in_progress')
   order by k.rank, c.rank limit $4`,
  'brand_id',
  'board_id',
  'task_type',
  'limit',
)

export const updateClaim = (ctx: BrandTx, id: string, holder: Actor, seconds: number) =>
  ctx.db.first(take, { brand_id: ctx.brandId, id, holder: JSON.stringify(holder), seconds })
export const updateLease = (ctx: BrandTx, id: string, seconds: number) =>
  ctx.db.first(extend, { brand_id: ctx.brandId, id, seconds })
export const deleteClaim = (ctx: BrandTx, id: string) => ctx.db.run(end, { brand_id: ctx.brandId, id })
export const listReady = (ctx: BrandCtx, at: { board_id: string; task_type: string | null; limit: number }) =>
  ctx.db.all(ready, { brand_id: ctx.brandId, ...at })
