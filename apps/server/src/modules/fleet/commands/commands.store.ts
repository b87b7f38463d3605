import type { DeskCommand } from '@crewhall/contracts/fleet/desk-protocol.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface CommandRow {
  readonly id: string
  readonly kind: DeskCommand['kind']
  readonly facts: Readonly<Record<string, unknown>>
  readonly issued_at: string
  readonly expires_at: string
}
const command = 'id, kind, facts, issued_at, expires_at'
type Of = { readonly desk_id: string }

interface NewCommand extends Of {
  readonly id: string
  readonly kind: DeskCommand['kind']
  readonly facts: string
  readonly minutes: number
}
const add = brandStatement<NewCommand, unknown>(
  (p) => sql`insert into fleet.desk_commands (brand_id, id, desk_id, kind, facts, expires_at)
   values (${p.brand_id}, ${p.id}, ${p.desk_id}, ${p.kind}, ${p.facts}::jsonb,
     platform.now() + make_interval(mins => ${p.minutes}))
   on conflict (brand_id, desk_id, kind) where ended_at is null do nothing`,
)
const unsent = brandStatement<Of & { limit: number }, CommandRow>(
  (p) => sql`select ${command} from fleet.desk_commands
   where brand_id = ${p.brand_id} and desk_id = ${p.desk_id} and ended_at is null and accepted_at is null
     and expires_at > platform.now()
   order by id limit ${p.limit}`,
)
const open = brandStatement<Of & { id: string }, CommandRow>(
  (p) => sql`select ${command} from fleet.desk_commands
   where brand_id = ${p.brand_id} and id = ${p.id} and desk_id = ${p.desk_id} and ended_at is null`,
)
const accept = brandStatement<{ id: string }, unknown>(
  (p) => sql`update fleet.desk_commands set accepted_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} and ended_at is null and accepted_at is null`,
)
export interface Ended {
  readonly id: string
  readonly outcome: 'done' | 'failed' | 'refused' | 'lost'
  readonly error: string | null
}
const end = brandStatement<Ended, unknown>(
  (p) => sql`update fleet.desk_commands
   set ended_at = platform.now(), outcome = ${p.outcome}, error = ${p.error}
   where brand_id = ${p.brand_id} and id = ${p.id} and ended_at is null`,
)
// What the desk has never accepted goes back to where it waited. With `all`, also what it had begun: it is another machine.
const expire = brandStatement<Of & { all: boolean }, unknown>(
  (p) => sql`with ended as (
     update fleet.desk_commands
     set ended_at = platform.now(), outcome = case when ${p.all}::boolean then 'lost' else 'expired' end
     where brand_id = ${p.brand_id} and desk_id = ${p.desk_id} and ended_at is null
       and (${p.all}::boolean or (accepted_at is null and expires_at <= platform.now()))
     returning id)
   update fleet.machine_updates u set command_id = null, state = 'queued', started_at = null, from_version = null
   from ended where u.brand_id = ${p.brand_id} and u.desk_id = ${p.desk_id} and u.command_id = ended.id
     and u.state in ('queued', 'running')`,
)

interface LostCommand extends Of {
  readonly brand_id: number
  readonly id: string
}
const lost = statement<{ limit: number; hours: number }, LostCommand>(
  (p) => sql`select brand_id, id, desk_id from fleet.desk_commands
   where ended_at is null and accepted_at < platform.now() - make_interval(hours => ${p.hours})
   order by accepted_at limit ${p.limit}`,
)
const forget = statement<{ limit: number; days: number }, unknown>(
  (p) => sql`delete from fleet.desk_commands where (brand_id, id) in (
     select brand_id, id from fleet.desk_commands
     where ended_at < platform.now() - make_interval(days => ${p.days})
     order by ended_at limit ${p.limit} for update skip locked)`,
)

/** No row where one of this kind is open already. */
export const insertCommand = (ctx: BrandTx, row: NewCommand) => ctx.db.run(add, row)
export const listUnsent = (ctx: BrandCtx, desk_id: string, limit: number) =>
  ctx.db.all(unsent, { desk_id, limit })
export const findOpenCommand = (ctx: BrandCtx, desk_id: string, id: string) =>
  ctx.db.first(open, { desk_id, id })
export const updateAccepted = (ctx: BrandTx, id: string) => ctx.db.run(accept, { id })
export const updateEnded = (ctx: BrandTx, ended: Ended) => ctx.db.run(end, ended)
export const updateExpired = (ctx: BrandTx, desk_id: string) => ctx.db.run(expire, { desk_id, all: false })
export const updateAllLost = (ctx: BrandTx, desk_id: string) => ctx.db.run(expire, { desk_id, all: true })
export const listLost = (ctx: SystemCtx, limit: number, hours: number) =>
  ctx.overBrands().db.all(lost, { limit, hours })
export const deleteOldCommands = (ctx: SystemCtx, limit: number, days: number) =>
  ctx.overBrands().db.run(forget, { limit, days })
