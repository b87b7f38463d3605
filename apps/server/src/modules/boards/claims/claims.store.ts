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
const take = sqlStatement<Card & { holder: string; seconds: number; process: string | null }, ClaimRow>(
  `update boards.cards set claim_id = gen_random_uuid(), claim_holder = $3::jsonb, claim_process = $5,
     claim_epoch = claim_epoch + 1,
     claim_expires_at = platform.clock_now() + make_interval(secs => $4)
   where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
  'holder',
  'seconds',
  'process',
)
const extend = sqlStatement<Card & { seconds: number }, ClaimRow>(
  `update boards.cards set claim_expires_at = platform.clock_now() + make_interval(secs => $3)
   where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
  'seconds',
)
// One statement without the lock of the board: nobody else can write a claim that still holds.
const beat = sqlStatement<Card & { claim_id: string; epoch: number; seconds: number }, ClaimRow>(
  `update boards.cards c set claim_expires_at = platform.clock_now() + make_interval(secs => $5)
   where c.brand_id = $1 and c.id = $2 and c.claim_id = $3 and c.claim_epoch = $4
     and c.claim_expires_at > platform.clock_now()
     and exists (select 1 from boards.boards b
       where b.brand_id = $1 and b.id = c.board_id and b.archived_at is null)
   returning ${columns}`,
  'brand_id',
  'id',
  'claim_id',
  'epoch',
  'seconds',
)
// The epoch rises, so that nothing which its worker still sends passes for that of the next one.
const end = sqlStatement<Card, unknown>(
  `update boards.cards set claim_id = null, claim_holder = null, claim_process = null, claim_expires_at = null,
     claim_epoch = claim_epoch + 1
   where brand_id = $1 and id = $2`,
  'brand_id',
  'id',
)
// Free ones from the index of those; ended leases that nobody has noticed yet from the index of leases, where what
// still holds is not walked over.
const among = (
  claim: string,
) => `(select id, number, title, status, column_id, assignee, branch, pr_number, pr_state, rank
     from boards.cards p
     where p.brand_id = $1 and p.board_id = $2 and p.column_id = k.id and p.archived_at is null
       and p.open_blockers = 0 and p.status in ('pending', 'in_progress')
       and p.source <> 'guest'
       and ($3::text is null or p.task_type = $3)
       and ${claim}
     order by p.rank limit $4)`
// What a guest has written is worked on by those who name it; it is handed to nobody who takes what comes.
const ready = sqlStatement<
  { brand_id: number; board_id: string; task_type: string | null; limit: number },
  SummaryRow
>(
  `select c.id, c.number, c.title, c.status, c.column_id, k.name as column_name, c.assignee, c.branch,
     c.pr_number, c.pr_state
   from boards.columns k
   cross join lateral (
     ${among('p.claim_id is null')}
     union all
     ${among('p.claim_id is not null and p.claim_expires_at <= platform.clock_now()')}
   ) c
   where k.brand_id = $1 and k.board_id = $2 and k.status in ('pending', 'in_progress')
   order by k.rank, c.rank limit $4`,
  'brand_id',
  'board_id',
  'task_type',
  'limit',
)

export const updateClaim = (
  ctx: BrandTx,
  id: string,
  claim: { holder: Actor; process: string | null; seconds: number },
) => ctx.db.first(take, { brand_id: ctx.brandId, id, ...claim, holder: JSON.stringify(claim.holder) })
/** Nothing when the claim does not hold any more. */
export const updateHeldLease = (
  ctx: BrandCtx,
  id: string,
  held: { claim_id: string; epoch: number; seconds: number },
) => ctx.db.first(beat, { brand_id: ctx.brandId, id, ...held })
export const updateLease = (ctx: BrandTx, id: string, seconds: number) =>
  ctx.db.first(extend, { brand_id: ctx.brandId, id, seconds })
export const deleteClaim = (ctx: BrandTx, id: string) => ctx.db.run(end, { brand_id: ctx.brandId, id })
export const listReady = (ctx: BrandCtx, at: { board_id: string; task_type: string | null; limit: number }) =>
  ctx.db.all(ready, { brand_id: ctx.brandId, ...at })
