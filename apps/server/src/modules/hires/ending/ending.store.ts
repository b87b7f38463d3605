import { disableSeconds } from '@crewhall/contracts/hires/cancel.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql, statement } from '#platform/db/statement.ts'

type Id = { readonly id: string }

export interface CanceledRow {
  readonly id: string
  readonly effective_at: string
  readonly marketplace_disable_at: string
  readonly installs_disabled: number | null
  readonly installs_retained: number | null
}
/** What the end of a hire concerns. */
export interface EndingRow {
  readonly id: string
  readonly profile_id: string
  readonly agent_id: string | null
  readonly desk_id: string | null
  readonly token_id: string | null
}
/** Where a hire is found in the order of what is due. */
export interface DueRow {
  readonly brand_id: number
  readonly id: string
  readonly due_at: string
}

const canceledColumns = `id, effective_at, effective_at + interval '${disableSeconds} seconds' as marketplace_disable_at,
   installs_disabled, installs_retained`
const endingColumns = 'h.id, h.profile_id, h.agent_id, h.desk_id, h.token_id'
const mine = (p: Named<Id & { brand_id: number }>) => sql`h.brand_id = ${p.brand_id} and h.id = ${p.id}`

// A worker that was away may not have renewed it yet: the period that runs is the one that now lies in. No hire is a
// hundred years old.
const running = `(select n from generate_series(h.periods, h.periods + 1200) n
   where hires.period_end(h.created_at, n) > platform.now() order by n limit 1)`

const anywhere = statement<Id, { found: boolean }>((p) => sql`select hires.is_anywhere(${p.id}) as found`)
const cancelLater = brandStatement<Id, CanceledRow>(
  (
    p,
  ) => sql`update hires.hires h set status = 'canceled', cancel_at_period_end = true, canceled_at = platform.now(),
     periods = ${running}, current_period_end = hires.period_end(h.created_at, ${running}),
     effective_at = hires.period_end(h.created_at, ${running})
   where ${mine(p)} and h.status = 'active' returning ${canceledColumns}`,
)
const cancelNow = brandStatement<Id, unknown>(
  (
    p,
  ) => sql`update hires.hires h set status = 'canceled', canceled_at = platform.now(), effective_at = platform.now()
   where ${mine(p)} and h.status = 'active'`,
)
const canceled = brandStatement<Id, CanceledRow>(
  (p) => sql`select ${canceledColumns} from hires.hires h where ${mine(p)} and h.status = 'canceled'`,
)
const isDue = `h.status = 'canceled' and h.ended_at is null and h.effective_at <= platform.now()`
const findDue = brandStatement<Id, EndingRow>(
  (p) => sql`select ${endingColumns} from hires.hires h where ${mine(p)} and ${isDue}`,
)
const lockDue = brandStatement<Id, EndingRow>(
  (p) => sql`select ${endingColumns} from hires.hires h where ${mine(p)} and ${isDue} for no key update`,
)
const end = brandStatement<Id & { disabled: number; retained: number }, unknown>(
  (p) => sql`update hires.hires h set ended_at = platform.now(), installs_disabled = ${p.disabled},
     installs_retained = ${p.retained}
   where ${mine(p)} and h.ended_at is null`,
)
const deskOfOther = brandStatement<Id & { desk_id: string }, unknown>(
  (p) => sql`select 1 from hires.hires h
   where h.brand_id = ${p.brand_id} and h.desk_id = ${p.desk_id} and h.ended_at is null and h.id <> ${p.id} limit 1`,
)
const sources = brandStatement<Id, { source_ids: string[] }>(
  (p) => sql`select source_ids from hires.management_records
   where brand_id = ${p.brand_id} and hire_id = ${p.id}`,
)
const isToRenew = `h.status = 'active' and h.current_period_end <= platform.now()`
const findRenewal = brandStatement<Id, EndingRow>(
  (p) => sql`select ${endingColumns} from hires.hires h where ${mine(p)} and ${isToRenew}`,
)
export interface RenewedRow {
  readonly profile_id: string
  readonly token_id: string | null
  readonly periods: number
  readonly current_period_end: string
}
const renew = brandStatement<Id, RenewedRow>(
  (
    p,
  ) => sql`update hires.hires h set periods = ${running}, current_period_end = hires.period_end(h.created_at, ${running})
   where ${mine(p)} and ${isToRenew} returning profile_id, token_id, periods, current_period_end`,
)

interface Page {
  readonly due_at: string
  readonly brand_id: number
  readonly id: string
  readonly limit: number
}
// By the time alone in the index; of those of one moment there are few.
const dueEnds = statement<Page, DueRow>(
  (p) => sql`select h.brand_id, h.id, h.effective_at as due_at from hires.hires h
   where ${isDue} and h.effective_at >= ${p.due_at}
     and (h.effective_at, h.brand_id, h.id) > (${p.due_at}::timestamptz, ${p.brand_id}::int, ${p.id}::uuid)
   order by h.effective_at, h.brand_id, h.id limit ${p.limit}`,
)
const dueRenewals = statement<Page, DueRow>(
  (p) => sql`select h.brand_id, h.id, h.current_period_end as due_at from hires.hires h
   where ${isToRenew} and h.current_period_end >= ${p.due_at}
     and (h.current_period_end, h.brand_id, h.id) > (${p.due_at}::timestamptz, ${p.brand_id}::int, ${p.id}::uuid)
   order by h.current_period_end, h.brand_id, h.id limit ${p.limit}`,
)

/** Whether any workspace has this hire. */
export const hasHireAnywhere = async (ctx: BrandCtx, id: string) =>
  (await ctx.db.first(anywhere, { id }))?.found === true
export const updateCanceledLater = (ctx: BrandTx, id: string) => ctx.db.first(cancelLater, { id })
export const updateCanceledNow = (ctx: BrandTx, id: string) => ctx.db.run(cancelNow, { id })
export const findCanceled = (ctx: BrandCtx, id: string) => ctx.db.first(canceled, { id })
/** Canceled, its time has come, and nobody has ended it yet. */
export const findDueHire = (ctx: BrandCtx, id: string) => ctx.db.first(findDue, { id })
export const lockDueHire = (ctx: BrandTx, id: string) => ctx.db.first(lockDue, { id })
export const updateEnded = (ctx: BrandTx, id: string, released: { disabled: number; retained: number }) =>
  ctx.db.run(end, { id, ...released })
export const hasDeskOfOther = async (ctx: BrandTx, id: string, desk_id: string) =>
  (await ctx.db.first(deskOfOther, { id, desk_id })) !== undefined
export const listSourcesOf = async (ctx: BrandTx, id: string) =>
  (await ctx.db.first(sources, { id }))?.source_ids ?? []
export const findHireToRenew = (ctx: BrandCtx, id: string) => ctx.db.first(findRenewal, { id })
/** Nothing if it was canceled or renewed meanwhile. */
export const updateRenewed = (ctx: BrandTx, id: string) => ctx.db.first(renew, { id })
/** Of all workspaces, in the order of their times. */
export const listDueEnds = (ctx: SystemCtx, page: Page) => ctx.overBrands().db.all(dueEnds, page)
export const listDueRenewals = (ctx: SystemCtx, page: Page) => ctx.overBrands().db.all(dueRenewals, page)
