import * as refused from '@crewhall/contracts/fleet/refusals.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

type Id = { readonly id: string }

// What the hub has to do is written by a trigger.
const put = brandStatement<Id & { wg_key: string; network: string }, { address: string }>(
  (p) => sql`insert into fleet.mesh_peers (brand_id, desk_id, wg_key, address)
   values (${p.brand_id}, ${p.id}, ${p.wg_key}, set_masklen(${p.network}::inet
     + (floor(extract(epoch from platform.clock_now()) * 1000)::bigint * 65536 + nextval('fleet.mesh_addresses')), 128))
   on conflict on constraint mesh_peers_pkey do update set wg_key = excluded.wg_key
   returning host(address) as address`,
)
const find = brandStatement<Id, { address: string }>(
  (p) => sql`select host(address) as address from fleet.mesh_peers
   where brand_id = ${p.brand_id} and desk_id = ${p.id}`,
)
const remove = brandStatement<Id, unknown>(
  (p) => sql`delete from fleet.mesh_peers where brand_id = ${p.brand_id} and desk_id = ${p.id}`,
)

/** A desk that joins again keeps its address. */
export async function upsertPeer(ctx: BrandTx, id: string, wg_key: string, network: string) {
  try {
    return await ctx.db.first(put, { id, wg_key, network })
  } catch (error) {
    if (violates(error, 'mesh_peers_by_key')) throw refused.meshKeyRefused()
    throw violates(error, 'mesh_cells_room') ? refused.meshFull() : error
  }
}
export const findPeer = (ctx: BrandTx, id: string) => ctx.db.first(find, { id })
export const deletePeer = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })
