import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

type Cell = { readonly cell: number }

export interface DeltaRow {
  readonly id: string
  readonly wg_key: string | null
  readonly address: string | null
  readonly old_wg_key: string | null
}
const waiting = statement<Cell & { limit: number }, DeltaRow>(
  (p) => sql`select id::text as id, wg_key, host(address) as address, old_wg_key
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
}
const peers = statement<Cell & { after: string; limit: number }, PeerRow>(
  (p) => sql`select wg_key, host(address) as address from fleet.mesh_peers
   where wg_key > ${p.after} and cell = ${p.cell} order by wg_key limit ${p.limit}`,
)
const sweep = statement<{ limit: number; days: number }, unknown>(
  (p) => sql`delete from fleet.mesh_deltas where id in (
     select id from fleet.mesh_deltas where applied_at < platform.now() - make_interval(days => ${p.days})
     order by applied_at limit ${p.limit} for update skip locked)`,
)

export const listDeltas = (ctx: SystemCtx, cell: number, limit: number) =>
  ctx.db.all(waiting, { cell, limit })
export const updateApplied = (ctx: SystemCtx, ids: readonly string[]) => ctx.db.run(mark, { ids })
export const findOldestSeconds = async (ctx: SystemCtx, cell: number): Promise<number> =>
  (await ctx.db.first(oldest, { cell }))?.seconds ?? 0
export const listPeersAfter = (ctx: SystemCtx, cell: number, after: string, limit: number) =>
  ctx.overBrands().db.all(peers, { cell, after, limit })
export const deleteOldDeltas = (ctx: SystemCtx, limit: number, days: number) =>
  ctx.db.run(sweep, { limit, days })
