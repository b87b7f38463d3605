import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'

const rows = [
  deletingRows('fleet.machine_updates', 'id'),
  deletingRows('fleet.health_events', 'desk_id', 'seq'),
  deletingRows('fleet.desk_commands', 'id'),
  deletingRows('fleet.desk_logs', 'desk_id'),
  deletingRows('fleet.join_secrets', 'desk_id'),
  deletingRows('fleet.desk_photos', 'desk_id'),
  // With it, the hub is told.
  deletingRows('fleet.mesh_peers', 'desk_id'),
  deletingRows('fleet.desk_keys', 'desk_id'),
  deletingRows('fleet.desks', 'id'),
]

/** In dependency order; each deletes at most `limit` rows. */
export const deletingFleet = rows.map((each) => (ctx: BrandCtx, limit: number) => ctx.db.run(each, { limit }))
