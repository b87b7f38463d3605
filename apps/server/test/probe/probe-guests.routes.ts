import { guestNotFound } from '@crewhall/contracts/workspaces/guests.ts'
import { alreadyInvited, alreadyMember } from '@crewhall/contracts/workspaces/invitations.ts'
import { findMembership } from '#modules/identity'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-guests.contract.ts'

interface OfPerson {
  readonly brand_id: number
  readonly person_id: number
}

const findInvitation = statement<OfPerson, { id: number }>(
  (p) => sql`select id from probe.naive_invitations where brand_id = ${p.brand_id}
     and person_id = ${p.person_id}`,
)
const insertInvitation = statement<OfPerson, { id: number }>(
  (p) => sql`insert into probe.naive_invitations (brand_id, person_id) values (${p.brand_id}, ${p.person_id})
     returning id`,
)
const countAccess = statement<OfPerson, { count: number }>(
  (p) => sql`select count(*)::int as count from docs_spaces.guests where brand_id = ${p.brand_id}
     and person_id = ${p.person_id}`,
)
const removeAccess = statement<OfPerson, unknown>(
  (p) => sql`delete from docs_spaces.guests where brand_id = ${p.brand_id} and person_id = ${p.person_id}`,
)
const revokeInvitation = statement<OfPerson, unknown>(
  (p) => sql`update workspaces.invitations i set status = 'revoked', closed_at = platform.now()
   from identity.people p where i.brand_id = ${p.brand_id} and p.id = ${p.person_id} and i.email = p.email
     and i.status = 'pending'`,
)
const insertAccess = brandStatement<{ person_id: number } & { space_id: string }, unknown>(
  (p) => sql`insert into docs_spaces.guests (brand_id, space_id, person_id, role)
     values (${p.brand_id}, ${p.space_id}, ${p.person_id}, 'viewer')`,
)

/** The product asks for a few more things between looking and writing. */
async function lookAround(ctx: BrandCtx, guest: OfPerson): Promise<void> {
  await ctx.db.first(findInvitation, guest)
  await ctx.db.first(countAccess, guest)
  await ctx.db.first(findInvitation, guest)
}

/** Now short, now long, so that whatever is done at the same time ends before, in between and after. */
async function lingers(ctx: BrandCtx, guest: OfPerson): Promise<void> {
  const looks = Math.ceil(Math.random() * 14)
  for (let n = 0; n < looks; n += 1) await lookAround(ctx, guest)
}

export const probeGuestsMounted = () => [
  handle(contract.naiveMakeMember, async (ctx, { params }) => {
    const guest = { brand_id: ctx.brandId, person_id: params.user_id }
    if (await ctx.db.first(findInvitation, guest)) throw alreadyInvited()
    const row = await ctx.db.first(insertInvitation, guest)
    if (!row) throw new Error('nothing was inserted')
    return row
  }),
  handle(contract.naiveRemoveGuest, async (ctx, { params }) => {
    const guest = { brand_id: ctx.brandId, person_id: params.user_id }
    if (await findMembership(ctx, params.user_id)) throw guestNotFound()
    const docs_removed = (await ctx.db.first(countAccess, guest))?.count ?? 0
    await lingers(ctx, guest)
    await ctx.db.run(removeAccess, guest)
    await ctx.db.run(revokeInvitation, guest)
    return { docs_removed }
  }),
  handle(contract.naiveAdmit, async (ctx, { params: { space_id, user_id } }) => {
    const guest = { brand_id: ctx.brandId, person_id: user_id }
    if (await findMembership(ctx, user_id)) throw alreadyMember()
    await lingers(ctx, guest)
    await ctx.db.run(insertAccess, { space_id, person_id: user_id })
    return { admitted: true as const }
  }),
]
