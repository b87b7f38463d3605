import type { GuestAccessItem } from '@crewhall/contracts/workspaces/guests.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

type Kind = GuestAccessItem['kind']
type OfPerson = { readonly brand_id: number; readonly person_id: number }

// Changes of the guests of one workspace take turns: an invitation that is made while its guest is being
// removed would outlive the removal.
const lock = sqlStatement<{ brand_id: number }, unknown>(
  `select pg_advisory_xact_lock(hashtext('workspaces.guests'), $1)`,
  'brand_id',
)
// What was noted days ago is another story: since then anything may have been given and taken.
const sweep = sqlStatement<{ brand_id: number }, unknown>(
  `delete from workspaces.guest_removals where brand_id = $1 and noted_at <= platform.now() - interval '1 day'`,
  'brand_id',
)
const count = sqlStatement<OfPerson, { kind: Kind; count: number }>(
  `select kind, count(*)::int as count from workspaces.guest_removals
   where brand_id = $1 and person_id = $2 group by kind`,
  'brand_id',
  'person_id',
)
const note = sqlStatement<OfPerson & { kinds: readonly Kind[]; resource_ids: readonly string[] }, unknown>(
  `insert into workspaces.guest_removals (brand_id, person_id, kind, resource_id)
   select $1, $2, kind, resource_id from unnest($3::text[], $4::uuid[]) as noted (kind, resource_id)
   on conflict do nothing`,
  'brand_id',
  'person_id',
  'kinds',
  'resource_ids',
)
const clear = sqlStatement<OfPerson, unknown>(
  'delete from workspaces.guest_removals where brand_id = $1 and person_id = $2',
  'brand_id',
  'person_id',
)

export const lockGuests = (ctx: BrandTx) => ctx.db.run(lock, { brand_id: ctx.brandId })
/** How much an unfinished removal of this person has set out to remove. */
export async function countNoted(ctx: BrandTx, person_id: number) {
  await ctx.db.run(sweep, { brand_id: ctx.brandId })
  return ctx.db.all(count, { brand_id: ctx.brandId, person_id })
}
export const insertNoted = (
  ctx: BrandTx,
  person_id: number,
  access: readonly Pick<GuestAccessItem, 'kind' | 'resource_id'>[],
) =>
  ctx.db.run(note, {
    brand_id: ctx.brandId,
    person_id,
    kinds: access.map(({ kind }) => kind),
    resource_ids: access.map(({ resource_id }) => resource_id),
  })
export const deleteNoted = (ctx: BrandTx, person_id: number) =>
  ctx.db.run(clear, { brand_id: ctx.brandId, person_id })
