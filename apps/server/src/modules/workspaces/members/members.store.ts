import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface PositionRow {
  readonly person_id: number
  readonly position: string | null
}

const positions = brandStatement<{ ids: readonly number[] }, PositionRow>(
  (p) => sql`select person_id, position from workspaces.member_profiles where brand_id = ${p.brand_id}
     and person_id = any(${p.ids}::int[])`,
)
// Returns the old value for the audit log; no row if there was none.
const lock = brandStatement<{ person_id: number }, PositionRow>(
  (p) => sql`select person_id, position from workspaces.member_profiles where brand_id = ${p.brand_id}
     and person_id = ${p.person_id} for update`,
)
const set = brandStatement<PositionRow, unknown>(
  (p) => sql`insert into workspaces.member_profiles (brand_id, person_id, position)
     values (${p.brand_id}, ${p.person_id}, ${p.position})
   on conflict (brand_id, person_id) do update set position = excluded.position, updated_at = platform.now()`,
)
const remove = brandStatement<{ person_id: number }, unknown>(
  (p) => sql`delete from workspaces.member_profiles where brand_id = ${p.brand_id}
     and person_id = ${p.person_id}`,
)

export const listPositions = (ctx: BrandCtx, ids: readonly number[]) => ctx.db.all(positions, { ids })
export const lockPosition = async (ctx: BrandTx, person_id: number): Promise<string | null> =>
  (await ctx.db.first(lock, { person_id }))?.position ?? null
export const updatePosition = (ctx: BrandTx, person_id: number, position: string | null) =>
  ctx.db.run(set, { person_id, position })
export const deleteProfile = (ctx: BrandTx, person_id: number) => ctx.db.run(remove, { person_id })
