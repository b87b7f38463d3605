import type { IndexFault, IndexStage, indexTriggers } from '@crewhall/contracts/code-index/index-state.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface RunRow {
  readonly id: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  readonly stage: IndexStage | null
  readonly is_wanted_again: boolean
  readonly epoch: number
  readonly files_done: number
  readonly files_total: number
  readonly skipped: { path: string; reason: string }[]
  readonly skipped_total: number
  readonly references_total: number
  readonly references_resolved: number
  readonly fault: IndexFault | null
  readonly requested_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
}
export type Trigger = (typeof indexTriggers)[number]
type OfProject = { readonly project_id: string }
/** What a worker writes counts only while the run has this epoch. */
export type HeldRun = { readonly id: string; readonly epoch: number }

const columns = `id, state, stage, is_wanted_again, epoch, files_done, files_total, skipped, skipped_total,
  references_total, references_resolved, fault, requested_at, started_at, ended_at`

const last = brandStatement<OfProject, RunRow>(
  (p) => sql`select ${columns} from code_index.runs
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} order by id desc limit 1`,
)
export interface AskedRun {
  readonly id: string
  /** Nobody works on it, and its job may have given up. */
  readonly is_lost: boolean
}
// One that runs has perhaps fetched already, so another one has to follow if somebody asks. A check that finds the same as
// the run may be asking because of it; what it has found beyond that is found by the next one.
const ask = brandStatement<OfProject & { id: string; trigger: Trigger }, AskedRun>(
  (p) => sql`insert into code_index.runs as r (brand_id, id, project_id, trigger)
   values (${p.brand_id}, ${p.id}, ${p.project_id}, ${p.trigger})
   on conflict (brand_id, project_id) where state in ('waiting', 'running')
   do update set is_wanted_again =
     r.is_wanted_again or r.state = 'running' and excluded.trigger in ('request', 'pushed')
   returning id, case when r.state = 'running' then r.lease_until <= platform.clock_now()
     else coalesce(r.asked_at, r.requested_at) < platform.now() - interval '10 minutes' end as is_lost`,
)
const count = brandStatement<Record<never, never>, { open: number }>(
  (p) => sql`select count(*)::int as open from (select from code_index.runs
     where brand_id = ${p.brand_id} and state in ('waiting', 'running') limit 1000) r`,
)
export interface LostRun {
  readonly brand_id: number
  readonly id: string
}
// Its job is gone, or has given up: while there is one, somebody claims it or holds its lease.
const isLost = `coalesce(asked_at, requested_at) < platform.now() - interval '10 minutes'
     and (state = 'waiting' or state = 'running' and lease_until < platform.clock_now())`
const lost = statement<{ limit: number }, LostRun>(
  (p) => sql`select brand_id, id from code_index.runs
   where state in ('waiting', 'running') and ${isLost} order by requested_at limit ${p.limit}`,
)
const askAgain = brandStatement<{ id: string }, { project_id: string }>(
  (p) => sql`update code_index.runs set asked_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} and state in ('waiting', 'running') and ${isLost}
   returning project_id`,
)
// One whose lease has ended lost its worker.
const claim = brandStatement<OfProject & { lease_seconds: number }, RunRow>(
  (p) => sql`update code_index.runs set state = 'running', epoch = epoch + 1, stage = 'fetch',
     started_at = coalesce(started_at, platform.now()), files_done = 0, files_total = 0,
     lease_until = platform.clock_now() + make_interval(secs => ${p.lease_seconds}::int)
   where brand_id = ${p.brand_id} and project_id = ${p.project_id}
     and (state = 'waiting' or state = 'running' and lease_until <= platform.clock_now())
   returning ${columns}`,
)
export interface OpenRun {
  readonly epoch: number
  readonly lease_until: string | null
}
const open = brandStatement<OfProject, OpenRun>(
  (p) => sql`select epoch, lease_until from code_index.runs
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} and state in ('waiting', 'running')`,
)
const extend = brandStatement<HeldRun & { lease_seconds: number }, { id: string }>(
  (p) => sql`update code_index.runs
   set lease_until = platform.clock_now() + make_interval(secs => ${p.lease_seconds}::int)
   where brand_id = ${p.brand_id} and id = ${p.id} and epoch = ${p.epoch} and state = 'running' returning id`,
)
export interface Progress {
  readonly stage: IndexStage
  readonly files_done: number
  readonly files_total: number
}
const progress = brandStatement<HeldRun & Progress, { id: string }>(
  (p) => sql`update code_index.runs
   set stage = ${p.stage}, files_done = ${p.files_done}, files_total = ${p.files_total}
   where brand_id = ${p.brand_id} and id = ${p.id} and epoch = ${p.epoch} and state = 'running' returning id`,
)
export interface Found {
  readonly commit_id: string
  readonly files_total: number
  readonly skipped: string
  readonly skipped_total: number
  readonly references_total: number
  readonly references_resolved: number
}
const found = brandStatement<HeldRun & Found, { id: string }>(
  (p) => sql`update code_index.runs set commit_id = ${p.commit_id}, files_done = ${p.files_total},
     files_total = ${p.files_total}, skipped = ${p.skipped}::jsonb, skipped_total = ${p.skipped_total},
     references_total = ${p.references_total}, references_resolved = ${p.references_resolved}
   where brand_id = ${p.brand_id} and id = ${p.id} and epoch = ${p.epoch} and state = 'running' returning id`,
)
// The counts of the run before are still true when nothing has changed since.
const copy = brandStatement<HeldRun & OfProject, { id: string }>(
  (p) => sql`update code_index.runs r set commit_id = l.commit_id, files_done = l.files_done,
     files_total = l.files_total, skipped = l.skipped, skipped_total = l.skipped_total,
     references_total = l.references_total, references_resolved = l.references_resolved
   from (select * from code_index.runs where brand_id = ${p.brand_id} and project_id = ${p.project_id}
     and state = 'done' order by id desc limit 1) l
   where r.brand_id = ${p.brand_id} and r.id = ${p.id} and r.epoch = ${p.epoch} and r.state = 'running'
   returning r.id`,
)
const end = brandStatement<HeldRun & { fault: IndexFault | null }, RunRow>(
  (
    p,
  ) => sql`update code_index.runs set state = case when ${p.fault}::text is null then 'done' else 'failed' end,
     stage = case when ${p.fault}::text is null then null else stage end,
     fault = ${p.fault}::text, lease_until = null, ended_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} and epoch = ${p.epoch} and state = 'running'
   returning ${columns}`,
)
const sweep = statement<{ days: number; limit: number }, unknown>(
  (p) => sql`delete from code_index.runs where (brand_id, id) in (
     select r.brand_id, r.id from code_index.runs r
     where r.ended_at < platform.now() - make_interval(days => ${p.days}::int)
       and exists (select from code_index.runs l where l.brand_id = r.brand_id and l.project_id = r.project_id
         and l.id > r.id)
     order by r.ended_at limit ${p.limit})`,
)

export const findLastRun = (ctx: BrandCtx, project_id: string) => ctx.db.first(last, { project_id })
export const insertRun = (
  ctx: BrandTx,
  run: OfProject & { readonly id: string; readonly trigger: Trigger },
) => ctx.db.first(ask, run)
export const claimRun = (ctx: BrandCtx, project_id: string, lease_seconds: number) =>
  ctx.db.first(claim, { project_id, lease_seconds })
export const findOpenRun = (ctx: BrandCtx, project_id: string) => ctx.db.first(open, { project_id })
export const countOpenRuns = async (ctx: BrandTx): Promise<number> =>
  (await ctx.db.first(count, {}))?.open ?? 0
/** Over all brands: a run without a job has nobody who would ask for it. */
export const listLostRuns = (ctx: SystemCtx, limit: number) => ctx.overBrands().db.all(lost, { limit })
export const updateAsked = (ctx: BrandTx, id: string) => ctx.db.first(askAgain, { id })
export const extendLease = (ctx: BrandCtx, { id, epoch }: HeldRun, lease_seconds: number) =>
  ctx.db.first(extend, { id, epoch, lease_seconds })
export const updateProgress = (ctx: BrandCtx, { id, epoch }: HeldRun, at: Progress) =>
  ctx.db.first(progress, { id, epoch, ...at })
export const updateFound = (ctx: BrandCtx, { id, epoch }: HeldRun, of: Found) =>
  ctx.db.first(found, { id, epoch, ...of })
export const copyFound = (ctx: BrandCtx, { id, epoch }: HeldRun, project_id: string) =>
  ctx.db.first(copy, { id, epoch, project_id })
export const endRun = (ctx: BrandTx, { id, epoch }: HeldRun, fault: IndexFault | null) =>
  ctx.db.first(end, { id, epoch, fault })
export const deleteOldRuns = (ctx: SystemCtx, days: number, limit: number) =>
  ctx.overBrands().db.run(sweep, { days, limit })
