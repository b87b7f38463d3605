import type { BuildStep, StepStatus } from '@crewhall/contracts/hires/hires.ts'
import type { EmployeeTemplate } from '@crewhall/contracts/hires/template.ts'
import type { BrandCtx, BrandTx, SystemTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

/** What the build of a hire starts from. */
export interface BuildRow {
  readonly id: string
  readonly profile_id: string
  readonly epoch: number
  readonly failures: number
  readonly agent_id: string | null
  readonly desk_id: string | null
  readonly project_id: string | null
  readonly key: string
  readonly name: string
  readonly is_builder: boolean
  readonly template: EmployeeTemplate | null
}
export interface LedgerRow {
  readonly step: BuildStep
  readonly status: StepStatus
  readonly made: unknown
}
type Id = { readonly id: string }
type Mine = Id & { readonly epoch: number }

/** Longer than a job may take. */
const lease = "interval '10 minutes'"
/** A job that is due begins within seconds, unless it was lost. */
const overdue = "interval '2 minutes'"

const claim = brandStatement<Id & { after_failures: number | null }, BuildRow>(
  (p) => sql`update hires.hires h
   set build_epoch = h.build_epoch + 1, next_try_at = platform.clock_now() + ${lease}
   from hires.employees e, hires.employee_versions v
   where h.brand_id = ${p.brand_id} and h.id = ${p.id} and h.status = 'provisioning'
     and h.failures = coalesce(${p.after_failures}::int, h.failures)
     and e.profile_id = h.profile_id and v.profile_id = h.profile_id and v.version = h.version
   returning h.id, h.profile_id, h.build_epoch as epoch, h.failures, h.agent_id, h.desk_id, h.project_id, e.key, v.name,
     v.is_builder, v.template`,
)
const hold = brandStatement<Mine, Id>(
  (p) => sql`select id from hires.hires
   where brand_id = ${p.brand_id} and id = ${p.id} and build_epoch = ${p.epoch} and status = 'provisioning'
   for no key update`,
)
const running = brandStatement<Id, Id>(
  (p) => sql`select id from hires.hires where brand_id = ${p.brand_id} and id = ${p.id} and ended_at is null`,
)
const ledger = brandStatement<Id, LedgerRow>(
  (p) => sql`select step, status, made from hires.build_steps
   where brand_id = ${p.brand_id} and hire_id = ${p.id} order by position`,
)
interface Step extends Id {
  readonly step: BuildStep
  readonly status: StepStatus
  readonly reason: string | null
  readonly made: string | null
}
const setStep = brandStatement<Step, unknown>(
  (p) => sql`update hires.build_steps set status = ${p.status}, reason = ${p.reason}, made = ${p.made}::jsonb,
     attempts = attempts + 1, done_at = case when ${p.status}::text <> 'failed' then platform.now() end
   where brand_id = ${p.brand_id} and hire_id = ${p.id} and step = ${p.step}`,
)
const reset = brandStatement<Id & { steps: readonly BuildStep[] }, unknown>(
  (p) => sql`update hires.build_steps set status = 'pending', reason = null, made = null, done_at = null
   where brand_id = ${p.brand_id} and hire_id = ${p.id} and step = any(${p.steps}::text[])`,
)
const setFailed = brandStatement<Id & { reason: string; seconds: number }, { next_try_at: string }>(
  (p) => sql`update hires.hires set failures = failures + 1, reason = ${p.reason},
     next_try_at = platform.clock_now() + make_interval(secs => ${p.seconds})
   where brand_id = ${p.brand_id} and id = ${p.id} returning next_try_at`,
)
// The one that ran last: it has the newest memories.
const earlierAgent = brandStatement<Id & { profile_id: string }, { agent_id: string }>(
  (p) => sql`select agent_id from hires.hires
   where brand_id = ${p.brand_id} and profile_id = ${p.profile_id} and id <> ${p.id} and agent_id is not null
   order by id desc limit 1`,
)
const setAgent = brandStatement<Id & { agent_id: string | null }, unknown>(
  (p) => sql`update hires.hires set agent_id = ${p.agent_id} where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const setProject = brandStatement<Id & { project_id: string }, unknown>(
  (p) => sql`update hires.hires set project_id = ${p.project_id}
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
export interface RecordRow extends Id {
  readonly agent_id: string
  readonly coder_profile: string
  readonly scopes: readonly string[]
  readonly packages: readonly string[]
  readonly directory: string | null
  readonly source_ids: readonly string[]
  readonly first_card_id: string | null
}
const addRecord = brandStatement<RecordRow, unknown>(
  (
    p,
  ) => sql`insert into hires.management_records (brand_id, hire_id, agent_id, coder_profile, scopes, packages, directory,
     source_ids, first_card_id)
   values (${p.brand_id}, ${p.id}, ${p.agent_id}, ${p.coder_profile}, ${p.scopes}, ${p.packages}, ${p.directory},
     ${p.source_ids}::uuid[], ${p.first_card_id})`,
)
const activate = brandStatement<Id, unknown>(
  (p) => sql`update hires.hires
   set status = 'active', activated_at = platform.now(), reason = null, next_try_at = null
   where brand_id = ${p.brand_id} and id = ${p.id} and status = 'provisioning'`,
)
// Whoever has one of them locked is at work on it.
const takeLost = statement<{ limit: number }, Id & { brand_id: number }>(
  (p) => sql`update hires.hires h
   set next_try_at = platform.clock_now() + ${lease}
   from (select brand_id, id from hires.hires
     where status = 'provisioning' and next_try_at < platform.clock_now() - ${overdue}
     order by next_try_at limit ${p.limit} for no key update skip locked) lost
   where h.brand_id = lost.brand_id and h.id = lost.id returning h.brand_id, h.id`,
)

/** Takes the build over from whoever had it. Undefined if there is nothing to build any more. */
export const claimBuild = (ctx: BrandCtx, id: string, after_failures: number | null) =>
  ctx.db.first(claim, { id, after_failures })
/** The hire is locked, and the build is still mine. */
export const lockBuild = async (ctx: BrandTx, { id, epoch }: Mine) =>
  (await ctx.db.first(hold, { id, epoch })) !== undefined
export const isRunning = async (ctx: BrandCtx, id: string) =>
  (await ctx.db.first(running, { id })) !== undefined
export const listLedger = (ctx: BrandCtx, id: string) => ctx.db.all(ledger, { id })
export const updateStep = (ctx: BrandTx, step: Omit<Step, 'made'> & { readonly made: unknown }) =>
  ctx.db.run(setStep, { ...step, made: step.made === undefined ? null : JSON.stringify(step.made) })
export const updateStepsReset = (ctx: BrandTx, id: string, steps: readonly BuildStep[]) =>
  ctx.db.run(reset, { id, steps })
/** Returns when it is tried again. */
export const updateFailed = async (ctx: BrandTx, id: string, failed: { reason: string; seconds: number }) =>
  (await ctx.db.first(setFailed, { id, ...failed }))?.next_try_at
export const findEarlierAgent = async (ctx: BrandTx, { id, profile_id }: Id & { profile_id: string }) =>
  (await ctx.db.first(earlierAgent, { id, profile_id }))?.agent_id
export const updateAgent = (ctx: BrandTx, id: string, agent_id: string | null) =>
  ctx.db.run(setAgent, { id, agent_id })
export const updateProject = (ctx: BrandTx, id: string, project_id: string) =>
  ctx.db.run(setProject, { id, project_id })
export const insertRecord = (ctx: BrandTx, record: RecordRow) => ctx.db.run(addRecord, { ...record })
export const updateActive = (ctx: BrandTx, id: string) => ctx.db.run(activate, { id })
/** Over all brands. They are found again only when their next job is lost as well. */
export const updateLost = (ctx: SystemTx, limit: number) => ctx.db.all(takeLost, { limit })
