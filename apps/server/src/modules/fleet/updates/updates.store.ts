import type { DeskState } from '@crewhall/contracts/fleet/desk.ts'
import type { UpdateState } from '@crewhall/contracts/fleet/updates.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

/** What decides whether a machine can be asked. */
export interface MachineRow {
  readonly id: string
  readonly name: string
  readonly state: DeskState
  readonly shares_machine: boolean
}
export interface UpdateRow {
  readonly id: string
  readonly desk_id: string
  readonly state: UpdateState
  readonly error: string | null
  readonly requested_by: number
  readonly requested_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  readonly from_version: string | null
  readonly to_version: string | null
}

const machine = 'id, name, state, shares_machine'
const update = `id, desk_id, state, error, requested_by, requested_at, started_at, ended_at, from_version, to_version`

// The row of the desk is what requests for one machine wait for each other at; `no key` lets its updates refer to it.
const lockOne = brandStatement<{ id: string }, MachineRow>(
  (p) =>
    sql`select ${machine} from fleet.desks where brand_id = ${p.brand_id} and id = ${p.id} for no key update`,
)
const find = brandStatement<{ id: string }, { id: string }>(
  (p) => sql`select id from fleet.desks where brand_id = ${p.brand_id} and id = ${p.id}`,
)
// In one order, so that two callers for all machines do not wait for each other.
const lockAll = brandStatement<{ limit: number }, MachineRow>(
  (p) => sql`select ${machine} from fleet.desks where brand_id = ${p.brand_id} order by id limit ${p.limit}
   for no key update`,
)

const open = brandStatement<{ id: string }, UpdateRow>(
  (p) => sql`select ${update} from fleet.machine_updates
   where brand_id = ${p.brand_id} and desk_id = ${p.id} and state in ('queued', 'running')`,
)
interface NewUpdates {
  readonly ids: readonly string[]
  readonly desk_ids: readonly string[]
  readonly rollout_id: string | null
  readonly requested_by: number
}
const add = brandStatement<NewUpdates, UpdateRow>(
  (p) => sql`insert into fleet.machine_updates (brand_id, id, desk_id, requested_by, rollout_id)
   select ${p.brand_id}, n.id, n.desk_id, ${p.requested_by}, ${p.rollout_id}::uuid
   from unnest(${p.ids}::uuid[], ${p.desk_ids}::uuid[]) as n (id, desk_id)
   on conflict (brand_id, desk_id) where state in ('queued', 'running') do nothing
   returning ${update}`,
)
const list = brandStatement<{ id: string; limit: number }, UpdateRow>(
  (p) => sql`select ${update} from fleet.machine_updates
   where brand_id = ${p.brand_id} and desk_id = ${p.id} order by id desc limit ${p.limit}`,
)
// Of one machine, more are shown by no read.
const forget = brandStatement<{ ids: readonly string[]; kept: number }, unknown>(
  (p) => sql`delete from fleet.machine_updates u using unnest(${p.ids}::uuid[]) as d (id)
   where u.brand_id = ${p.brand_id} and u.desk_id = d.id and u.state in ('done', 'failed') and u.id < (
     select l.id from fleet.machine_updates l where l.brand_id = ${p.brand_id} and l.desk_id = d.id
     order by l.id desc offset ${p.kept} limit 1)`,
)

export const lockMachine = (ctx: BrandTx, id: string) => ctx.db.first(lockOne, { id })
export const lockMachines = (ctx: BrandTx, limit: number) => ctx.db.all(lockAll, { limit })
export const findMachine = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const findOpenUpdate = (ctx: BrandCtx, id: string) => ctx.db.first(open, { id })
export const insertUpdates = (ctx: BrandTx, rows: NewUpdates) => ctx.db.all(add, rows)
export const deleteOldUpdates = (ctx: BrandTx, ids: readonly string[], kept: number) =>
  ctx.db.run(forget, { ids, kept })
export const listUpdates = (ctx: BrandCtx, id: string, limit: number) => ctx.db.all(list, { id, limit })
