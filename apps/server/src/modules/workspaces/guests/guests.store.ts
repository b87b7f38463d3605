import type { GuestAccessItem, GuestKind } from '@crewhall/contracts/workspaces/guests.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

type OfPerson = { readonly person_id: number }

// Changes of the guests of one workspace take turns: an invitation that is made while its guest is being
// removed would outlive the removal.
const lock = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('workspaces.guests'), ${p.brand_id})`,
)
// What was noted days ago is another story: since then anything may have been given and taken.
const sweep = brandStatement<object, unknown>(
  (p) => sql`delete from workspaces.guest_removals where brand_id = ${p.brand_id}
     and noted_at <= platform.now() - interval '1 day'`,
)
const count = brandStatement<OfPerson, { kind: GuestKind; count: number }>(
  (p) => sql`select kind, count(*)::int as count from workspaces.guest_removals
   where brand_id = ${p.brand_id} and person_id = ${p.person_id} group by kind`,
)
const note = brandStatement<
  OfPerson & { kinds: readonly GuestKind[]; resource_ids: readonly string[] },
  unknown
>(
  (p) => sql`insert into workspaces.guest_removals (brand_id, person_id, kind, resource_id)
   select ${p.brand_id}, ${p.person_id}, kind, resource_id
     from unnest(${p.kinds}::text[], ${p.resource_ids}::uuid[]) as noted (kind, resource_id)
   on conflict do nothing`,
)
const clear = brandStatement<OfPerson, unknown>(
  (p) =>
    sql`delete from workspaces.guest_removals where brand_id = ${p.brand_id} and person_id = ${p.person_id}`,
)

export const lockGuests = (ctx: BrandTx) => ctx.db.run(lock, {})
/** How much an unfinished removal of this person has set out to remove. */
export async function countNoted(ctx: BrandTx, person_id: number) {
  await ctx.db.run(sweep, {})
  return ctx.db.all(count, { person_id })
}
export const insertNoted = (
  ctx: BrandTx,
  person_id: number,
  access: readonly Pick<GuestAccessItem, 'kind' | 'resource_id'>[],
) =>
  ctx.db.run(note, {
    person_id,
    kinds: access.map(({ kind }) => kind),
    resource_ids: access.map(({ resource_id }) => resource_id),
  })
export const deleteNoted = (ctx: BrandTx, person_id: number) => ctx.db.run(clear, { person_id })
