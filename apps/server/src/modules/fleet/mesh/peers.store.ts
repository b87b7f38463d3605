import * as refused from '@crewhall/contracts/fleet/refusals.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

type Id = { readonly id: string }

/** A key is replaced after 30 days; a desk that has not done so is told again the next day. */
export const isKeyOld = `key_since < platform.now() - interval '30 days'
  and (rotation_asked_at is null or rotation_asked_at < platform.now() - interval '1 day')`

// What the hub has to do is written by a trigger.
const put = brandStatement<Id & { wg_key: string; network: string }, { address: string }>(
  (p) => sql`insert into fleet.mesh_peers (brand_id, desk_id, wg_key, address)
   values (${p.brand_id}, ${p.id}, ${p.wg_key}, set_masklen(${p.network}::inet
     + (floor(extract(epoch from platform.clock_now()) * 1000)::bigint * 65536 + nextval('fleet.mesh_addresses')), 128))
   on conflict on constraint mesh_peers_pkey do update set wg_key = excluded.wg_key, next_wg_key = null,
     next_since = null, key_since = platform.now(), rotation_asked_at = null
   returning host(address) as address`,
)
const find = brandStatement<Id, { address: string }>(
  (p) => sql`select host(address) as address from fleet.mesh_peers
   where brand_id = ${p.brand_id} and desk_id = ${p.id}`,
)
const remove = brandStatement<Id, unknown>(
  (p) => sql`delete from fleet.mesh_peers where brand_id = ${p.brand_id} and desk_id = ${p.id}`,
)

const propose = brandStatement<Id & { wg_key: string }, { wg_key: string }>(
  (p) => sql`update fleet.mesh_peers set next_wg_key = ${p.wg_key}, next_since = platform.now()
   where brand_id = ${p.brand_id} and desk_id = ${p.id} and wg_key <> ${p.wg_key}
     and next_wg_key is distinct from ${p.wg_key}
   returning wg_key`,
)
const ask = brandStatement<Id, { wg_key: string }>(
  (p) => sql`update fleet.mesh_peers set rotation_asked_at = platform.now()
   where brand_id = ${p.brand_id} and desk_id = ${p.id} and ${isKeyOld}
   returning wg_key`,
)

/** A desk that joins again keeps its address. */
export async function upsertPeer(ctx: BrandTx, id: string, wg_key: string, network: string) {
  try {
    return await ctx.db.first(put, { id, wg_key, network })
  } catch (error) {
    if (violates(error, 'mesh_peers_by_key') || violates(error, 'mesh_keys_pkey'))
      throw refused.meshKeyRefused()
    throw violates(error, 'mesh_cells_room') ? refused.meshFull() : error
  }
}
export const findPeer = (ctx: BrandTx, id: string) => ctx.db.first(find, { id })
/** Whether that is news. */
export async function updateNextKey(ctx: BrandTx, id: string, wg_key: string): Promise<boolean> {
  try {
    return (await ctx.db.first(propose, { id, wg_key })) !== undefined
  } catch (error) {
    throw violates(error, 'mesh_keys_pkey') ? refused.nextKeyRefused() : error
  }
}
/** Whether its time has come. */
export const updateAsked = async (ctx: BrandTx, id: string): Promise<boolean> =>
  (await ctx.db.first(ask, { id })) !== undefined
export const deletePeer = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })
