import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { Run } from '@crewhall/contracts/boards/runs.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface RunRow {
  readonly id: string
  readonly card_id: string
  readonly number: number
  readonly status: Run['status']
  readonly reason: string | null
  readonly summary: string
  readonly claim_epoch: number | null
  readonly started_by: Actor
  readonly usage_tokens: number
  readonly usage_cost_micros: number
  readonly started_at: string
  readonly finished_at: string | null
  /** The time to report after the end of its claim is over. */
  readonly is_late: boolean
}

const columns = `id, card_id, number, status, reason, summary, claim_epoch, started_by, usage_tokens,
  usage_cost_micros, started_at, finished_at, coalesce(lost_after <= platform.clock_now(), false) as is_late`
type One = { brand_id: number; id: string }

const list = sqlStatement<{ brand_id: number; card_id: string; limit: number; offset: number }, RunRow>(
  `select ${columns} from boards.runs where brand_id = $1 and card_id = $2
   order by number desc limit $3 offset $4`,
  'brand_id',
  'card_id',
  'limit',
  'offset',
)
const find = sqlStatement<One, RunRow>(
  `select ${columns} from boards.runs where brand_id = $1 and id = $2`,
  'brand_id',
  'id',
)
// The card counts its runs, and remembers the last one.
const add = sqlStatement<
  { brand_id: number; card_id: string; claim_epoch: number | null; started_by: string },
  RunRow
>(
  `with card as (
     update boards.cards set runs_count = runs_count + 1 where brand_id = $1 and id = $2 returning runs_count
   ), made as (
     insert into boards.runs (brand_id, card_id, number, claim_epoch, started_by)
     select $1, $2, runs_count, $3, $4::jsonb from card returning ${columns}
   )
   select * from made`,
  'brand_id',
  'card_id',
  'claim_epoch',
  'started_by',
)
interface Written {
  readonly status: string
  readonly reason: string | null
  readonly summary: string
  readonly usage_tokens: number
  readonly usage_cost_micros: number
}
const update = sqlStatement<One & Written, RunRow>(
  `update boards.runs set status = $3, reason = $4, summary = $5, usage_tokens = $6, usage_cost_micros = $7,
     finished_at = case when $3 = 'running' then null else platform.clock_now() end
   where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
  'status',
  'reason',
  'summary',
  'usage_tokens',
  'usage_cost_micros',
)
// What the card tells of its last run is what the newest one tells: an older one that reports late changes nothing.
const noteLast = sqlStatement<
  { brand_id: number; card_id: string; tokens: number; cost_micros: number },
  unknown
>(
  `update boards.cards c set last_run_id = r.id, last_run_status = r.status,
     last_run_at = coalesce(r.finished_at, r.started_at), usage_tokens = c.usage_tokens + $3,
     usage_cost_micros = c.usage_cost_micros + $4
   from (
     select id, status, started_at, finished_at from boards.runs where brand_id = $1 and card_id = $2
     order by number desc limit 1
   ) r
   where c.brand_id = $1 and c.id = $2`,
  'brand_id',
  'card_id',
  'tokens',
  'cost_micros',
)
type OfClaim = { brand_id: number; card_id: string; claim_epoch: number }
const lose = sqlStatement<OfClaim, { id: string; reason: string }>(
  `update boards.runs set status = 'lost', reason = coalesce(reason, 'The claim ended before the run did'),
     finished_at = platform.clock_now()
   where brand_id = $1 and card_id = $2 and status = 'running' and claim_epoch <= $3 returning id, reason`,
  'brand_id',
  'card_id',
  'claim_epoch',
)
const leaveOpen = sqlStatement<OfClaim, unknown>(
  `update boards.runs r set lost_after = c.claim_expires_at from boards.cards c
   where r.brand_id = $1 and r.card_id = $2 and r.status = 'running' and r.claim_epoch = $3
     and c.brand_id = $1 and c.id = $2`,
  'brand_id',
  'card_id',
  'claim_epoch',
)

export const listRuns = (ctx: BrandCtx, at: { card_id: string; limit: number; offset: number }) =>
  ctx.db.all(list, { brand_id: ctx.brandId, ...at })
export const findRun = (ctx: BrandCtx, id: string) => ctx.db.first(find, { brand_id: ctx.brandId, id })
export const insertRun = (
  ctx: BrandTx,
  run: { card_id: string; claim_epoch: number | null; started_by: Actor },
) => ctx.db.first(add, { brand_id: ctx.brandId, ...run, started_by: JSON.stringify(run.started_by) })
export const updateRun = (ctx: BrandTx, id: string, run: Written) =>
  ctx.db.first(update, { brand_id: ctx.brandId, id, ...run })
/** Tokens and cost are what came on top since the last time. */
export const updateLastRun = (ctx: BrandTx, run: { card_id: string; tokens: number; cost_micros: number }) =>
  ctx.db.run(noteLast, { brand_id: ctx.brandId, ...run })
/** Runs of this claim and of earlier ones that have not ended. */
export const updateLostRuns = (ctx: BrandTx, card_id: string, claim_epoch: number) =>
  ctx.db.all(lose, { brand_id: ctx.brandId, card_id, claim_epoch })
/** They may report until the lease would have ended. Only while the card still has the claim. */
export const updateRunsLeftOpen = (ctx: BrandTx, card_id: string, claim_epoch: number) =>
  ctx.db.run(leaveOpen, { brand_id: ctx.brandId, card_id, claim_epoch })
