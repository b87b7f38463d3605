import type { BuildStep, HireStatus, StepStatus } from '@crewhall/contracts/hires/hires.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql, statement } from '#platform/db/statement.ts'

export interface HireRow {
  readonly id: string
  readonly profile_id: string
  readonly version: number
  readonly status: HireStatus
  readonly agent_id: string | null
  readonly desk_id: string | null
  readonly project_id: string | null
  readonly is_grant: boolean
  readonly comp_reason: string | null
  readonly hired_by: number | null
  readonly token_id: string | null
  readonly periods: number
  readonly current_period_end: string
  readonly created_at: string
  readonly activated_at: string | null
  readonly cancel_at_period_end: boolean
  readonly canceled_at: string | null
  readonly effective_at: string | null
  readonly ended_at: string | null
  readonly installs_disabled: number | null
  readonly installs_retained: number | null
  readonly failures: number
  readonly reason: string | null
  readonly next_try_at: string | null
  /** Of the employee, in the version that was hired. */
  readonly key: string
  readonly name: string
  readonly is_builder: boolean
}
export interface StepRow {
  readonly step: BuildStep
  readonly position: number
  readonly status: StepStatus
  readonly attempts: number
  readonly reason: string | null
  readonly done_at: string | null
}

const columns = `h.id, h.profile_id, h.version, h.status, h.agent_id, h.desk_id, h.project_id, h.is_grant,
   h.comp_reason, h.hired_by, h.token_id, h.periods, h.current_period_end, h.created_at, h.activated_at,
   h.cancel_at_period_end, h.canceled_at, h.effective_at, h.ended_at, h.installs_disabled, h.installs_retained,
   h.failures, h.reason, h.next_try_at, e.key, v.name, v.is_builder`
const rows = `hires.hires h
   join hires.employees e on e.profile_id = h.profile_id
   join hires.employee_versions v on v.profile_id = h.profile_id and v.version = h.version`

type Id = { readonly id: string }
const one = (p: Named<Id & { brand_id: number }>) =>
  sql`select ${columns} from ${rows} where h.brand_id = ${p.brand_id} and h.id = ${p.id}`
const find = brandStatement<Id, HireRow>(one)
const lock = brandStatement<Id, HireRow>((p) => sql`${one(p)} for no key update of h`)
const brandOf = statement<Id, { brand_id: number }>(
  (p) => sql`select brand_id from hires.hires where id = ${p.id}`,
)

interface Page {
  readonly after: string
  readonly limit: number
}
const page = brandStatement<Page, HireRow>(
  (p) => sql`select ${columns} from ${rows} where h.brand_id = ${p.brand_id} and h.id < ${p.after}::uuid
   order by h.id desc limit ${p.limit}`,
)
const pageOfStatus = brandStatement<Page & { status: HireStatus }, HireRow>(
  (p) => sql`select ${columns} from ${rows}
   where h.brand_id = ${p.brand_id} and h.status = ${p.status} and h.id < ${p.after}::uuid
   order by h.id desc limit ${p.limit}`,
)
const held = brandStatement<{ profile_id: string }, Id>(
  (p) => sql`select id from hires.hires
   where brand_id = ${p.brand_id} and profile_id = ${p.profile_id} and status in ('provisioning', 'active')`,
)
const steps = brandStatement<Id, StepRow>(
  (p) => sql`select step, position, status, attempts, reason, done_at from hires.build_steps
   where brand_id = ${p.brand_id} and hire_id = ${p.id} order by position`,
)
const firstCard = brandStatement<Id, { first_card_id: string | null }>(
  (p) => sql`select first_card_id from hires.management_records
   where brand_id = ${p.brand_id} and hire_id = ${p.id}`,
)

export type NewHire = Pick<
  HireRow,
  'id' | 'profile_id' | 'version' | 'project_id' | 'is_grant' | 'comp_reason' | 'hired_by'
>
// The time is that of the statement, under the lock that limits are counted under: that of the transaction could be
// earlier than what was counted. A worker that is told of a hire takes it up in seconds; the sweep looks for it later.
const add = brandStatement<NewHire, Id>(
  (p) => sql`with clock as materialized (select platform.clock_now() as now)
   insert into hires.hires (brand_id, id, profile_id, version, project_id, is_grant, comp_reason, hired_by, created_at,
     current_period_end, next_try_at)
   select ${p.brand_id}, ${p.id}, ${p.profile_id}, ${p.version}, ${p.project_id}::uuid, ${p.is_grant}::boolean,
     ${p.comp_reason}::text, ${p.hired_by}::int, now, hires.period_end(now, 1), now + interval '2 minutes' from clock
   on conflict (brand_id, profile_id) where status in ('provisioning', 'active') do nothing returning id`,
)
const addSteps = brandStatement<Id & { steps: readonly BuildStep[] }, unknown>(
  (p) => sql`insert into hires.build_steps (brand_id, hire_id, step, position)
   select ${p.brand_id}, ${p.id}, step, position
   from unnest(${p.steps}::text[]) with ordinality as given (step, position)`,
)
type DeskOfHire = { readonly desk_id: string; readonly project_id: string | null }
const setDesk = brandStatement<Id & DeskOfHire, unknown>(
  (p) => sql`update hires.hires set desk_id = ${p.desk_id}, project_id = ${p.project_id}
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const setRetried = brandStatement<Id, unknown>(
  (p) => sql`update hires.hires set reason = null, next_try_at = platform.now() + interval '2 minutes'
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)

export const findHire = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
/** Until the end of the transaction nobody else changes it. It comes after agents, tokens and the brand. */
export const lockHire = (ctx: BrandTx, id: string) => ctx.db.first(lock, { id })
/** Of any workspace, for operators, who name a hire and no workspace. */
export const findBrandOfHire = async (ctx: SystemCtx, id: string) =>
  (await ctx.overBrands().db.first(brandOf, { id }))?.brand_id
export const listHirePage = (ctx: BrandCtx, at: Page, status: HireStatus | undefined) =>
  status === undefined ? ctx.db.all(page, at) : ctx.db.all(pageOfStatus, { ...at, status })
/** The hire by which the workspace holds the employee now. */
export const findHeldHire = async (ctx: BrandCtx, profile_id: string) =>
  (await ctx.db.first(held, { profile_id }))?.id
export const listSteps = (ctx: BrandCtx, id: string) => ctx.db.all(steps, { id })
export const findFirstCard = async (ctx: BrandCtx, id: string) =>
  (await ctx.db.first(firstCard, { id }))?.first_card_id ?? null
/** False if the workspace holds the employee already. */
export const insertHire = async (ctx: BrandTx, hire: NewHire) => (await ctx.db.first(add, hire)) !== undefined
export const insertSteps = (ctx: BrandTx, id: string, steps: readonly BuildStep[]) =>
  ctx.db.run(addSteps, { id, steps })
export const updateDeskOfHire = (ctx: BrandTx, id: string, desk: DeskOfHire) =>
  ctx.db.run(setDesk, { id, ...desk })
export const updateRetried = (ctx: BrandTx, id: string) => ctx.db.run(setRetried, { id })
