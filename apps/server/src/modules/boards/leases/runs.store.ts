import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { Knew } from '@crewhall/contracts/boards/knew.ts'
import type { Run } from '@crewhall/contracts/boards/runs.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { Sized } from '../batches.rules.ts'

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
/** Undefined where it was not asked for. */
export interface KnowingRow extends RunRow {
  readonly knew?: Knew | null
}

const columns = `id, card_id, number, status, reason, summary, claim_epoch, started_by, usage_tokens,
  usage_cost_micros, started_at, finished_at, coalesce(lost_after <= platform.clock_now(), false) as is_late`
type One = { id: string }

type Page = { card_id: string; limit: number; offset: number; with_knew: boolean }
const list = brandStatement<Page, Sized>(
  (p) => sql`select id, octet_length(summary)
     + case when ${p.with_knew}::boolean then coalesce(octet_length(knew::text), 0) else 0 end as bytes
   from boards.runs
   where brand_id = ${p.brand_id} and card_id = ${p.card_id}
   order by number desc limit ${p.limit} offset ${p.offset}`,
)
const some = brandStatement<{ ids: readonly string[] }, RunRow>(
  (p) => sql`select ${columns} from boards.runs
   where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[]) order by number desc`,
)
const someKnowing = brandStatement<{ ids: readonly string[] }, KnowingRow>(
  (p) => sql`select ${columns}, knew from boards.runs
   where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[]) order by number desc`,
)
const remember = brandStatement<One & { knew: string }, unknown>(
  (p) => sql`update boards.runs set knew = ${p.knew}::jsonb where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const find = brandStatement<One, RunRow>(
  (p) => sql`select ${columns} from boards.runs where brand_id = ${p.brand_id} and id = ${p.id}`,
)
// The card counts its runs, and remembers the last one.
type NewRun = { id: string | null; card_id: string; claim_epoch: number | null }
const add = brandStatement<NewRun & { started_by: string }, RunRow>(
  (p) => sql`with card as (
     update boards.cards set runs_count = runs_count + 1 where brand_id = ${p.brand_id} and id = ${p.card_id}
       returning runs_count
   ), made as (
     insert into boards.runs (brand_id, id, card_id, number, claim_epoch, started_by)
     select ${p.brand_id}, coalesce(${p.id}::uuid, gen_random_uuid()), ${p.card_id}, runs_count, ${p.claim_epoch}, ${p.started_by}::jsonb from card
       returning ${columns}
   )
   select * from made`,
)
interface Written {
  readonly status: string
  readonly reason: string | null
  readonly summary: string
  readonly usage_tokens: number
  readonly usage_cost_micros: number
}
const update = brandStatement<One & Written, RunRow>(
  (p) => sql`update boards.runs set status = ${p.status}, reason = ${p.reason},
     summary = ${p.summary}, usage_tokens = ${p.usage_tokens}, usage_cost_micros = ${p.usage_cost_micros},
     finished_at = case when ${p.status} = 'running' then null else platform.clock_now() end
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
// The card shows its newest run: a late report of an older one changes nothing.
const noteLast = brandStatement<{ card_id: string; tokens: number; cost_micros: number }, unknown>(
  (p) => sql`update boards.cards c set last_run_id = r.id, last_run_status = r.status,
     last_run_at = coalesce(r.finished_at, r.started_at), usage_tokens = c.usage_tokens + ${p.tokens},
     usage_cost_micros = c.usage_cost_micros + ${p.cost_micros}
   from (
     select id, status, started_at, finished_at from boards.runs where brand_id = ${p.brand_id}
       and card_id = ${p.card_id}
     order by number desc limit 1
   ) r
   where c.brand_id = ${p.brand_id} and c.id = ${p.card_id}`,
)
type OfClaim = { card_id: string; claim_epoch: number }
const lose = brandStatement<OfClaim, RunRow>(
  (p) => sql`update boards.runs set status = 'lost', reason = coalesce(reason,
     'The claim ended before the run did'), finished_at = platform.clock_now()
   where brand_id = ${p.brand_id} and card_id = ${p.card_id} and status = 'running'
     and claim_epoch <= ${p.claim_epoch} returning ${columns}`,
)
const leaveOpen = brandStatement<OfClaim, unknown>(
  (p) => sql`update boards.runs r set lost_after = c.claim_expires_at from boards.cards c
   where r.brand_id = ${p.brand_id} and r.card_id = ${p.card_id} and r.status = 'running'
     and r.claim_epoch = ${p.claim_epoch}
     and c.brand_id = ${p.brand_id} and c.id = ${p.card_id}`,
)

export const listSizedRuns = (ctx: BrandCtx, at: Page) => ctx.db.all(list, { ...at })
export const listRuns = (
  ctx: BrandCtx,
  ids: readonly string[],
  with_knew: boolean,
): Promise<readonly KnowingRow[]> => ctx.db.all(with_knew ? someKnowing : some, { ids })
export const updateKnew = (ctx: BrandTx, id: string, knew: Knew) =>
  ctx.db.run(remember, { id, knew: JSON.stringify(knew) })
export const findRun = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const insertRun = (ctx: BrandTx, run: NewRun & { started_by: Actor }) =>
  ctx.db.first(add, { ...run, started_by: JSON.stringify(run.started_by) })
export const updateRun = (ctx: BrandTx, id: string, run: Written) => ctx.db.first(update, { id, ...run })
/** Tokens and cost are what came on top since the last time. */
export const updateLastRun = (ctx: BrandTx, run: { card_id: string; tokens: number; cost_micros: number }) =>
  ctx.db.run(noteLast, { ...run })
/** Runs of this claim and of earlier ones that have not ended. */
export const updateLostRuns = (ctx: BrandTx, card_id: string, claim_epoch: number) =>
  ctx.db.all(lose, { card_id, claim_epoch })
/** They may report until the lease would have ended. Only while the card still has the claim. */
export const updateRunsLeftOpen = (ctx: BrandTx, card_id: string, claim_epoch: number) =>
  ctx.db.run(leaveOpen, { card_id, claim_epoch })
