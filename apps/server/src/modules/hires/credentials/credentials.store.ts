import type { EmployeeTemplate } from '@crewhall/contracts/hires/template.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

type Id = { readonly id: string }
interface AtDesk extends Id {
  readonly agent_id: string | null
}

const atDesk = brandStatement<{ desk_id: string }, AtDesk>(
  (p) => sql`select id, agent_id from hires.hires
   where brand_id = ${p.brand_id} and desk_id = ${p.desk_id} and ended_at is null order by id desc limit 1`,
)
// Of hires of the same employee that overlap: one that was canceled and still runs, and the one that follows it.
const others = brandStatement<Id & { agent_id: string }, { token_id: string }>(
  (p) => sql`select token_id from hires.hires
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and id <> ${p.id} and token_id is not null
     and (status = 'active' or (status = 'canceled' and ended_at is null))`,
)
const setToken = brandStatement<Id & { token_id: string | null }, unknown>(
  (p) => sql`update hires.hires set token_id = ${p.token_id}::uuid
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const dropDesk = brandStatement<Id, unknown>(
  (p) => sql`update hires.hires set desk_id = null where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const template = statement<{ profile_id: string; version: number }, { template: EmployeeTemplate | null }>(
  (p) => sql`select template from hires.employee_versions
   where profile_id = ${p.profile_id} and version = ${p.version}`,
)

/** The hire that has the desk; one that has ended does not. */
export const findHireAtDesk = (ctx: BrandCtx, desk_id: string) => ctx.db.first(atDesk, { desk_id })
export const listOtherTokens = async (ctx: BrandTx, id: string, agent_id: string) =>
  (await ctx.db.all(others, { id, agent_id })).map(({ token_id }) => token_id)
export const updateToken = (ctx: BrandTx, id: string, token_id: string | null) =>
  ctx.db.run(setToken, { id, token_id })
export const updateWithoutDesk = (ctx: BrandTx, id: string) => ctx.db.run(dropDesk, { id })
/** Published versions stay as they are. */
export const findTemplate = async (ctx: BrandCtx, profile_id: string, version: number) =>
  (await ctx.db.first(template, { profile_id, version }))?.template ?? undefined
