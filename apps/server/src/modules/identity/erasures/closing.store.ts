import { formerMember } from '@crewhall/contracts/former-member.ts'
import type { BrandCtx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

type OfPerson = { readonly person_id: number }
type OfBrand = { readonly brand_id: number }

export interface HeldPerson {
  readonly email: string
  readonly email_verified: boolean
  readonly is_staff: boolean
}
export interface Administered {
  readonly brand_id: number
  readonly name: string
  readonly other_admins: number
  readonly other_members: number
}

const live = statement<OfPerson, HeldPerson>(
  (p) => sql`select email, email_verified, is_staff from identity.people
   where id = ${p.person_id} and kind = 'person' and erased_at is null`,
)
const hold = statement<OfPerson, HeldPerson>(
  (p) => sql`select email, email_verified, is_staff from identity.people
   where id = ${p.person_id} and kind = 'person' and erased_at is null for update`,
)
const known = statement<OfPerson, unknown>(
  (p) => sql`select 1 from identity.people where id = ${p.person_id} and kind = 'person'`,
)
// In id order, like everything that locks several. Nobody joins meanwhile: a new membership locks its workspace.
const holdBrands = statement<OfPerson, unknown>(
  (p) => sql`select 1 from identity.brands where id in (
     select brand_id from identity.memberships where person_id = ${p.person_id} and status = 'active' and role = 'admin')
   order by id for update`,
)
const holdAdmins = statement<OfPerson, unknown>(
  (p) => sql`select 1 from identity.memberships where role = 'admin' and status = 'active' and brand_id in (
     select brand_id from identity.memberships where person_id = ${p.person_id} and status = 'active' and role = 'admin')
   order by brand_id, person_id for no key update`,
)
const administered = statement<OfPerson, Administered>(
  (p) => sql`select b.id as brand_id, b.name,
     count(o.*) filter (where o.role = 'admin')::int as other_admins, count(o.*)::int as other_members
   from identity.memberships m join identity.brands b on b.id = m.brand_id
   left join identity.memberships o on o.brand_id = m.brand_id and o.status = 'active' and o.person_id <> m.person_id
   where m.person_id = ${p.person_id} and m.status = 'active' and m.role = 'admin' group by b.id, b.name order by b.id`,
)
const otherStaff = statement<OfPerson, { count: number }>(
  (p) => sql`select count(*)::int as count from identity.people where is_staff and id <> ${p.person_id}`,
)
const brandsOf = statement<OfPerson, { brand_id: number }>(
  (p) => sql`select brand_id from identity.memberships where person_id = ${p.person_id} order by brand_id`,
)

// Everything that grants access or identifies the person.
const ends = [
  statement<OfPerson, unknown>((p) => sql`delete from identity.sessions where person_id = ${p.person_id}`),
  statement<OfPerson, unknown>((p) => sql`delete from identity.devices where person_id = ${p.person_id}`),
  statement<OfPerson, unknown>((p) => sql`delete from identity.passwords where person_id = ${p.person_id}`),
  statement<OfPerson, unknown>(
    (p) => sql`delete from identity.password_resets where person_id = ${p.person_id}`,
  ),
  statement<OfPerson, unknown>(
    (p) => sql`delete from identity.email_proofs where person_id = ${p.person_id}`,
  ),
  statement<OfPerson, unknown>(
    (p) => sql`delete from identity.tokens where person_id = ${p.person_id} and brand_id in (
     select brand_id from identity.memberships where person_id = ${p.person_id})`,
  ),
  statement<OfPerson, unknown>(
    (p) => sql`update identity.memberships set status = 'removed', removed_at = platform.now()
   where person_id = ${p.person_id} and status = 'active'`,
  ),
]
const forget = statement<OfPerson & { full_name: string }, unknown>(
  (
    p,
  ) => sql`update identity.people set email = 'erased-' || id || '@erased.invalid', full_name = ${p.full_name}, image = null,
     email_verified = false, is_staff = false, erased_at = platform.now(), updated_at = platform.now()
   where id = ${p.person_id}`,
)
const begin = statement<OfPerson & { known: string; settle_seconds: number }, unknown>(
  (
    p,
  ) => sql`update identity.person_erasures set status = 'running', started_at = platform.now(), known = ${p.known}::jsonb,
     pass = 1, wait_until = platform.now() + make_interval(secs => ${p.settle_seconds}), touched_at = platform.now()
   where person_id = ${p.person_id}`,
)
const knownOf = statement<OfPerson, { known: unknown; started_at: string }>(
  (p) => sql`select known, started_at from identity.person_erasures where person_id = ${p.person_id}`,
)
const leave = statement<OfPerson, unknown>(
  (p) => sql`delete from identity.memberships where person_id = ${p.person_id}`,
)
const tries = statement<{ digests: readonly string[] }, unknown>(
  (p) => sql`delete from identity.attempt_limits a using unnest(${p.digests}::text[]) d
   where a.key = 'sign-in:' || d or (a.key >= 'sign-in:' || d || ':' and a.key < 'sign-in:' || d || ';')
      or a.key in ('reset:' || d, 'proof:' || d)`,
)
const redact = statement<OfPerson & { bite: number }, { count: number }>(
  (p) => sql`select identity.redact_platform_entries(${p.person_id}, ${p.bite}) as count`,
)
const finishPerson = statement<OfPerson, unknown>(
  (
    p,
  ) => sql`update identity.person_erasures set status = 'done', known = null, position = '', finished_at = platform.now()
   where person_id = ${p.person_id} and status = 'running'`,
)

const holdBrand = statement<OfBrand, { name: string }>(
  (p) =>
    sql`select name from identity.brands where id = ${p.brand_id} and erased_at is null for no key update`,
)
const anyBrand = statement<OfBrand, { name: string }>(
  (p) => sql`select name from identity.brands where id = ${p.brand_id}`,
)
const ownBrand = brandStatement<object, { name: string }>(
  (p) => sql`select name from identity.brands where id = ${p.brand_id}`,
)
const closeOf = [
  statement<OfBrand, unknown>(
    (p) => sql`update identity.memberships set status = 'removed', removed_at = platform.now()
   where brand_id = ${p.brand_id} and status <> 'removed'`,
  ),
  statement<OfBrand, unknown>(
    (p) => sql`update identity.sessions set brand_id = null, updated_at = platform.now()
   where brand_id = ${p.brand_id}`,
  ),
  statement<OfBrand, unknown>(
    (p) => sql`update identity.brands set name = 'Erased workspace',
     erased_at = coalesce(erased_at, platform.now()) where id = ${p.brand_id}`,
  ),
  statement<OfBrand, unknown>(
    (p) => sql`update identity.brand_erasures set status = 'running', started_at = platform.now(),
     touched_at = platform.now() where brand_id = ${p.brand_id} and status = 'scheduled'`,
  ),
]
const finishBrand = statement<OfBrand, unknown>(
  (p) => sql`update identity.brand_erasures set status = 'done', finished_at = platform.now()
   where brand_id = ${p.brand_id} and status = 'running'`,
)

export const findLivePerson = (ctx: SystemCtx, person_id: number) => ctx.db.first(live, { person_id })
export const lockPerson = (ctx: SystemTx, person_id: number) => ctx.db.first(hold, { person_id })
export const hasPerson = async (ctx: SystemCtx, person_id: number): Promise<boolean> =>
  (await ctx.db.first(known, { person_id })) !== undefined
export async function lockAdministered(ctx: SystemTx, person_id: number): Promise<void> {
  await ctx.db.run(holdBrands, { person_id })
  await ctx.db.run(holdAdmins, { person_id })
}
export const listAdministered = (ctx: SystemCtx, person_id: number) => ctx.db.all(administered, { person_id })
export const countOtherStaff = async (ctx: SystemCtx, person_id: number): Promise<number> =>
  (await ctx.db.first(otherStaff, { person_id }))?.count ?? 0
export const listBrandsOf = async (ctx: SystemCtx, person_id: number): Promise<number[]> =>
  (await ctx.db.all(brandsOf, { person_id })).map(({ brand_id }) => brand_id)
export async function deleteCredentials(ctx: SystemCtx, person_id: number): Promise<void> {
  for (const each of ends) await ctx.db.run(each, { person_id })
}
/** The person can no longer sign in or be found. */
export async function updatePersonClosed(
  ctx: SystemTx,
  person_id: number,
  { known, settle_seconds }: { known: object; settle_seconds: number },
): Promise<void> {
  await deleteCredentials(ctx, person_id)
  await ctx.db.run(forget, { person_id, full_name: formerMember })
  await ctx.db.run(begin, { person_id, known: JSON.stringify(known), settle_seconds })
}
export const findKnown = (ctx: SystemCtx, person_id: number) => ctx.db.first(knownOf, { person_id })
export const deleteMembershipsOf = (ctx: SystemCtx, person_id: number) => ctx.db.run(leave, { person_id })
export const deleteTriesOf = (ctx: SystemCtx, digests: readonly string[]) => ctx.db.run(tries, { digests })
export const updateEntriesRedacted = async (ctx: SystemCtx, person_id: number, bite: number) =>
  (await ctx.db.first(redact, { person_id, bite }))?.count ?? 0
export const updatePersonDone = (ctx: SystemTx, person_id: number) => ctx.db.run(finishPerson, { person_id })

export const lockLiveBrand = (ctx: SystemTx, brand_id: number) => ctx.db.first(holdBrand, { brand_id })
export const findBrandName = async (ctx: SystemCtx, brand_id: number): Promise<string | undefined> =>
  (await ctx.db.first(anyBrand, { brand_id }))?.name
export const findOwnName = async (ctx: BrandCtx): Promise<string | undefined> =>
  (await ctx.db.first(ownBrand, {}))?.name.trim()
/** Nobody can act in the workspace any longer. */
export async function updateBrandClosed(ctx: SystemTx, brand_id: number): Promise<void> {
  for (const each of closeOf) await ctx.db.run(each, { brand_id })
}
export const updateBrandDone = (ctx: SystemTx, brand_id: number) => ctx.db.run(finishBrand, { brand_id })

const tokenRows = deletingRows('identity.tokens', 'id')
const membershipRows = deletingRows('identity.memberships', 'person_id')
const agentRows = deletingRows('identity.agents', 'agent_id')
/** Each deletes at most `limit` rows of a workspace. Tokens and memberships name agents, so they go first. */
export const rowsOfBrand = [tokenRows, membershipRows, agentRows]
