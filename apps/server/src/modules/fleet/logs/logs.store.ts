import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface LogRow {
  readonly requested_by: number
  readonly requested_at: string
  readonly command_id: string | null
  readonly received_at: string | null
  readonly content: string | null
  readonly error: string | null
  readonly expires_at: string
}
const log = 'requested_by, requested_at, command_id, received_at, content, error, expires_at'
type Of = { readonly desk_id: string }

const find = brandStatement<Of, LogRow>(
  (p) => sql`select ${log} from fleet.desk_logs
   where brand_id = ${p.brand_id} and desk_id = ${p.desk_id} and expires_at > platform.now()`,
)
interface NewRequest extends Of {
  readonly requested_by: number
  readonly hours: number
}
const ask = brandStatement<NewRequest, LogRow>(
  (p) => sql`insert into fleet.desk_logs (brand_id, desk_id, requested_by, expires_at)
   values (${p.brand_id}, ${p.desk_id}, ${p.requested_by}, platform.now() + make_interval(hours => ${p.hours}))
   on conflict (brand_id, desk_id) do update set requested_by = excluded.requested_by,
     requested_at = excluded.requested_at, expires_at = excluded.expires_at, command_id = null, received_at = null,
     content = null, error = null
   returning ${log}`,
)
// One whose command has expired, or that was asked for while another one was open, gets a new one.
const unasked = brandStatement<Of, { desk_id: string }>(
  (p) => sql`select l.desk_id from fleet.desk_logs l
   where l.brand_id = ${p.brand_id} and l.desk_id = ${p.desk_id} and l.received_at is null and l.error is null
     and l.expires_at > platform.now() and not exists (
       select from fleet.desk_commands c where c.brand_id = ${p.brand_id} and c.desk_id = ${p.desk_id}
         and c.kind = 'collect_logs' and c.ended_at is null)`,
)
const assign = brandStatement<Of & { command_id: string }, unknown>(
  (p) => sql`update fleet.desk_logs set command_id = ${p.command_id}
   where brand_id = ${p.brand_id} and desk_id = ${p.desk_id}`,
)
const receive = brandStatement<Of & { content: string; hours: number }, unknown>(
  (p) => sql`update fleet.desk_logs set content = ${p.content}, received_at = platform.now(),
     expires_at = platform.now() + make_interval(hours => ${p.hours})
   where brand_id = ${p.brand_id} and desk_id = ${p.desk_id}`,
)
interface Failure extends Of {
  /** Of which command; null for whichever. */
  readonly command_id: string | null
  readonly error: string
}
const fail = brandStatement<Failure, unknown>(
  (p) => sql`update fleet.desk_logs set error = ${p.error}
   where brand_id = ${p.brand_id} and desk_id = ${p.desk_id} and received_at is null and error is null
     and command_id is not distinct from coalesce(${p.command_id}::uuid, command_id)`,
)
const forget = statement<{ limit: number }, unknown>(
  (p) => sql`delete from fleet.desk_logs where (brand_id, desk_id) in (
     select brand_id, desk_id from fleet.desk_logs where expires_at <= platform.now()
     order by expires_at limit ${p.limit} for update skip locked)`,
)

/** Not one that has expired. */
export const findLog = (ctx: BrandCtx, desk_id: string) => ctx.db.first(find, { desk_id })
export const upsertRequest = (ctx: BrandTx, row: NewRequest) => ctx.db.first(ask, row)
export const findUnasked = (ctx: BrandTx, desk_id: string) => ctx.db.first(unasked, { desk_id })
export const updateAsked = (ctx: BrandTx, desk_id: string, command_id: string) =>
  ctx.db.run(assign, { desk_id, command_id })
export const updateReceived = (ctx: BrandTx, desk_id: string, content: string, hours: number) =>
  ctx.db.run(receive, { desk_id, content, hours })
export const updateFailed = (ctx: BrandTx, failure: Failure) => ctx.db.run(fail, failure)
export const deleteExpired = (ctx: SystemCtx, limit: number) => ctx.overBrands().db.run(forget, { limit })
