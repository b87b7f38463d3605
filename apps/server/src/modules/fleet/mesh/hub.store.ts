import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

type Cell = { readonly cell: number }

export interface DeltaRow {
  readonly id: string
  readonly wg_key: string | null
  readonly address: string | null
  readonly old_wg_key: string | null
  readonly like_wg_key: string | null
}
const waiting = statement<Cell & { limit: number }, DeltaRow>(
  (p) => sql`select id::text as id, wg_key, host(address) as address, old_wg_key, like_wg_key
   from fleet.mesh_deltas where cell = ${p.cell} and applied_at is null order by id limit ${p.limit}`,
)
const mark = statement<{ ids: readonly string[] }, unknown>(
  (p) => sql`update fleet.mesh_deltas set applied_at = platform.clock_now()
   where id = any(${p.ids}::bigint[]) and applied_at is null`,
)
const oldest = statement<Cell, { seconds: number }>(
  (p) => sql`select coalesce(extract(epoch from platform.clock_now() - min(created_at)), 0)::float8 as seconds
   from (select created_at from fleet.mesh_deltas where cell = ${p.cell} and applied_at is null
     order by id limit 1) first`,
)

export interface PeerRow {
  readonly wg_key: string
  readonly address: string
  readonly next_wg_key: string | null
}
const peers = statement<Cell & { after: string; limit: number }, PeerRow>(
  (p) => sql`select wg_key, host(address) as address, next_wg_key from fleet.mesh_peers
   where wg_key > ${p.after} and cell = ${p.cell} order by wg_key limit ${p.limit}`,
)
interface NextKeyRow {
  readonly next_wg_key: string
  /** Whether the desk is to be heard with it any moment. */
  readonly is_fresh: boolean
}
const nextKeys = statement<Cell, NextKeyRow>(
  (p) => sql`select next_wg_key, next_since > platform.clock_now() - interval '1 minute' as is_fresh
   from fleet.mesh_peers where cell = ${p.cell} and next_wg_key is not null`,
)
const swap = statement<{ keys: readonly string[] }, unknown>(
  (p) => sql`update fleet.mesh_peers set wg_key = next_wg_key, next_wg_key = null, next_since = null,
     key_since = platform.now(), rotation_asked_at = null
   where next_wg_key = any(${p.keys}::text[])`,
)
const sweep = statement<{ limit: number; days: number }, unknown>(
  (p) => sql`delete from fleet.mesh_deltas where id in (
     select id from fleet.mesh_deltas where applied_at < platform.now() - make_interval(days => ${p.days})
     order by applied_at limit ${p.limit} for update skip locked)`,
)

interface Hold extends Cell {
  readonly holder: string
  readonly seconds: number
}
const hold = statement<Hold, { cell: number }>(
  (p) => sql`update fleet.mesh_hubs set holder = ${p.holder},
     held_until = platform.clock_now() + make_interval(secs => ${p.seconds})
   where cell = ${p.cell} and (holder = ${p.holder} or held_until < platform.clock_now())
   returning cell`,
)
const leave = statement<Omit<Hold, 'seconds'>, unknown>(
  (p) => sql`update fleet.mesh_hubs set held_until = '-infinity'
   where cell = ${p.cell} and holder = ${p.holder}`,
)

/** Whether the cell is held by this hub now. */
export const updateHold = async (ctx: SystemCtx, given: Hold): Promise<boolean> =>
  (await ctx.db.first(hold, given)) !== undefined
export const updateLeft = (ctx: SystemCtx, given: Omit<Hold, 'seconds'>) => ctx.db.run(leave, given)
export const listDeltas = (ctx: SystemCtx, cell: number, limit: number) =>
  ctx.db.all(waiting, { cell, limit })
export const updateApplied = (ctx: SystemCtx, ids: readonly string[]) => ctx.db.run(mark, { ids })
export const findOldestSeconds = async (ctx: SystemCtx, cell: number): Promise<number> =>
  (await ctx.db.first(oldest, { cell }))?.seconds ?? 0
export const listPeersAfter = (ctx: SystemCtx, cell: number, after: string, limit: number) =>
  ctx.overBrands().db.all(peers, { cell, after, limit })
export const listNextKeys = (ctx: SystemCtx, cell: number) => ctx.overBrands().db.all(nextKeys, { cell })
export const updateSwapped = (ctx: SystemCtx, keys: readonly string[]) =>
  ctx.overBrands().db.run(swap, { keys })
export const deleteOldDeltas = (ctx: SystemCtx, limit: number, days: number) =>
  ctx.db.run(sweep, { limit, days })
