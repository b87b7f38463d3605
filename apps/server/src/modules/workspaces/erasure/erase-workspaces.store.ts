import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'
import { sql, statement } from '#platform/db/statement.ts'

interface OfPerson {
  readonly person_id: number
  readonly brand_ids: readonly number[]
}
interface PhotoRow {
  readonly brand_id: number
  readonly object_key: string
}

const photos = statement<OfPerson & { limit: number }, PhotoRow>(
  (p) => sql`select brand_id, object_key from workspaces.member_photos
   where brand_id = any(${p.brand_ids}::int[]) and person_id = ${p.person_id} limit ${p.limit}`,
)
const endPhoto = statement<PhotoRow, unknown>(
  (p) =>
    sql`delete from workspaces.member_photos where brand_id = ${p.brand_id} and object_key = ${p.object_key}`,
)
const endProfiles = statement<OfPerson, unknown>(
  (p) =>
    sql`delete from workspaces.member_profiles where brand_id = any(${p.brand_ids}::int[]) and person_id = ${p.person_id}`,
)
const endRemovals = statement<{ person_id: number }, unknown>(
  (p) => sql`delete from workspaces.guest_removals where person_id = ${p.person_id}`,
)
interface InvitationPlace {
  readonly brand_id: number
  readonly id: number
}
// Ended ones are swept after a while, so there are never many.
const nextInvitations = statement<
  InvitationPlace & { bite: number; addresses: readonly string[]; until: string },
  InvitationPlace
>(
  (p) => sql`with bitten as materialized (
     select brand_id, id, email = any(${p.addresses}::text[]) and created_at <= ${p.until} as is_theirs from workspaces.invitations
     where (brand_id, id) > (${p.brand_id}, ${p.id}) order by brand_id, id limit ${p.bite}),
   gone as (
     delete from workspaces.invitations i using bitten b
     where i.brand_id = b.brand_id and i.id = b.id and b.is_theirs)
   select brand_id, id from bitten order by brand_id desc, id desc limit 1`,
)
const tables = [
  deletingRows('workspaces.member_photos', 'person_id'),
  deletingRows('workspaces.member_profiles', 'person_id'),
  deletingRows('workspaces.invitations', 'id'),
  deletingRows('workspaces.guest_removals', 'person_id', 'kind', 'resource_id'),
  deletingRows('workspaces.feature_switches', 'key'),
  deletingRows('workspaces.preferences'),
]

export const listPhotosOf = (ctx: SystemCtx, of: OfPerson, limit: number) =>
  ctx.overBrands().db.all(photos, { ...of, limit })
export const deletePhoto = (ctx: SystemCtx, photo: PhotoRow) => ctx.overBrands().db.run(endPhoto, photo)
export async function deleteProfilesOf(ctx: SystemCtx, of: OfPerson): Promise<void> {
  await ctx.overBrands().db.run(endProfiles, of)
  await ctx.overBrands().db.run(endRemovals, { person_id: of.person_id })
}
/** Returns the last invitation of the batch. */
export const deleteInvitationsTo = (
  ctx: SystemCtx,
  after: InvitationPlace,
  given: { bite: number; addresses: readonly string[]; until: string },
) => ctx.overBrands().db.first(nextInvitations, { ...after, ...given })
/** Each deletes at most `limit` rows of a workspace. */
export const rowsOfBrand = tables.map(
  (table) => (ctx: BrandCtx, limit: number) => ctx.db.run(table, { limit }),
)
