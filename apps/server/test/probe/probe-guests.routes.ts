import { guestNotFound } from '@crewhall/contracts/workspaces/guests.ts'
import { alreadyInvited, alreadyMember } from '@crewhall/contracts/workspaces/invitations.ts'
import { findMembership } from '#modules/identity'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-guests.contract.ts'

interface OfPerson {
  readonly brand_id: number
  readonly person_id: number
}

const findInvitation = sqlStatement<OfPerson, { id: number }>(
  'select id from probe.naive_invitations where brand_id = $1 and person_id = $2',
  'brand_id',
  'person_id',
)
const insertInvitation = sqlStatement<OfPerson, { id: number }>(
  'insert into probe.naive_invitations (brand_id, person_id) values ($1, $2) returning id',
  'brand_id',
  'person_id',
)
const countAccess = sqlStatement<OfPerson, { count: number }>(
  'select count(*)::int as count from docs_spaces.guests where brand_id = $1 and person_id = $2',
  'brand_id',
  'person_id',
)
const removeAccess = sqlStatement<OfPerson, unknown>(
  'delete from docs_spaces.guests where brand_id = $1 and person_id = $2',
  'brand_id',
  'person_id',
)
const revokeInvitation = sqlStatement<OfPerson, unknown>(
  `update workspaces.invitations i set status = 'revoked', closed_at = platform.now()
   from identity.people p where i.brand_id = $1 and p.id = $2 and i.email = p.email and i.status = 'pending'`,
  'brand_id',
  'person_id',
)
const insertAccess = sqlStatement<OfPerson & { space_id: string }, unknown>(
  `insert into docs_spaces.guests (brand_id, space_id, person_id, role) values ($1, $2, $3, 'viewer')`,
  'brand_id',
  'space_id',
  'person_id',
)

/** The product asks for a few more things between looking and writing. */
async function lookAround(ctx: BrandCtx, guest: OfPerson): Promise<void> {
  await ctx.db.first(findInvitation, guest)
  await ctx.db.first(countAccess, guest)
  await ctx.db.first(findInvitation, guest)
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
    await lookAround(ctx, guest)
    await ctx.db.run(removeAccess, guest)
    await ctx.db.run(revokeInvitation, guest)
    return { docs_removed }
  }),
  handle(contract.naiveAdmit, async (ctx, { params: { space_id, user_id } }) => {
    const guest = { brand_id: ctx.brandId, person_id: user_id }
    if (await findMembership(ctx, user_id)) throw alreadyMember()
    await lookAround(ctx, guest)
    await ctx.db.run(insertAccess, { brand_id: ctx.brandId, space_id, person_id: user_id })
    return { admitted: true as const }
  }),
]
