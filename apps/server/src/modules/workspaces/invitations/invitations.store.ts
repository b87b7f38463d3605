import { alreadyInvited } from '@crewhall/contracts/workspaces/invitations.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface InvitationRow {
  readonly id: number
  readonly email: string
  readonly role: 'admin' | 'member'
  readonly status: 'pending' | 'expired' | 'accepted' | 'revoked'
  readonly delivery: 'queued' | 'sent' | 'refused'
  readonly expires_at: string
  readonly created_at: string
  readonly invited_by: number | null
}

interface InBrand {
  readonly brand_id: number
}
interface One extends InBrand {
  readonly id: number
}

// GST-G3: an invitation whose time is over is told as such, and stays where an admin can send it again.
const columns = `id, email, role, case when status = 'pending' and expires_at <= platform.now() then 'expired' else status end as status,
   delivery, expires_at, created_at, invited_by`
const one = `where brand_id = $1 and id = $2 and status = 'pending'`

const list = sqlStatement<InBrand & { limit: number; offset: number }, InvitationRow>(
  `select ${columns} from workspaces.invitations where brand_id = $1 and status = 'pending'
   order by id desc limit $2 offset $3`,
  'brand_id',
  'limit',
  'offset',
)
const count = sqlStatement<InBrand, { total: number }>(
  `select count(*)::int as total from workspaces.invitations where brand_id = $1 and status = 'pending'`,
  'brand_id',
)
const expire = sqlStatement<InBrand & { email: string }, unknown>(
  `update workspaces.invitations set status = 'expired', closed_at = platform.now()
   where brand_id = $1 and email = $2 and status = 'pending' and expires_at <= platform.now()`,
  'brand_id',
  'email',
)
const add = sqlStatement<
  InBrand & { email: string; role: string; invited_by: number | null; days: number },
  InvitationRow
>(
  `insert into workspaces.invitations (brand_id, email, role, invited_by, expires_at)
   values ($1, $2, $3, $4, platform.now() + make_interval(days => $5)) returning ${columns}`,
  'brand_id',
  'email',
  'role',
  'invited_by',
  'days',
)
const revoke = sqlStatement<One, InvitationRow>(
  `update workspaces.invitations set status = 'revoked', closed_at = platform.now() ${one} returning ${columns}`,
  'brand_id',
  'id',
)
const revokeOf = sqlStatement<InBrand & { email: string }, InvitationRow>(
  `update workspaces.invitations set status = 'revoked', closed_at = platform.now()
   where brand_id = $1 and email = $2 and status = 'pending' returning ${columns}`,
  'brand_id',
  'email',
)
// The unique index of pending ones begins with the brand; an admin who goes has invited few of them.
const revokeBy = sqlStatement<InBrand & { invited_by: number }, InvitationRow>(
  `update workspaces.invitations set status = 'revoked', closed_at = platform.now()
   where brand_id = $1 and id in (
     select id from workspaces.invitations where brand_id = $1 and invited_by = $2 and status = 'pending'
     order by id for update)
   returning ${columns}`,
  'brand_id',
  'invited_by',
)
const renew = sqlStatement<One & { days: number; invited_by: number | null }, InvitationRow>(
  `update workspaces.invitations set delivery = 'queued', invited_by = $4,
     expires_at = platform.now() + make_interval(days => $3) ${one} returning ${columns}`,
  'brand_id',
  'id',
  'days',
  'invited_by',
)
// Only what still waits for its mail: a job that runs again after its mail went out finds nothing to do.
const link = sqlStatement<One & { token_hash: string }, InvitationRow>(
  `update workspaces.invitations set token_hash = $3
   ${one} and delivery = 'queued' and expires_at > platform.now() returning ${columns}`,
  'brand_id',
  'id',
  'token_hash',
)
// A link that was replaced meanwhile says nothing about the one that counts.
const deliver = sqlStatement<One & { token_hash: string; delivery: string }, unknown>(
  `update workspaces.invitations set delivery = $4 where brand_id = $1 and id = $2 and token_hash = $3`,
  'brand_id',
  'id',
  'token_hash',
  'delivery',
)
const byLink = sqlStatement<{ token_hash: string }, { brand_id: number; id: number; email: string }>(
  `select brand_id, id, email from workspaces.invitations
   where token_hash = $1 and status = 'pending' and expires_at > platform.now()`,
  'token_hash',
)
// Two who use one link, or one who uses it while it is taken back: the second finds nothing.
const accept = sqlStatement<One & { token_hash: string }, InvitationRow>(
  `update workspaces.invitations set status = 'accepted', closed_at = platform.now(), token_hash = null
   ${one} and token_hash = $3 and expires_at > platform.now() returning ${columns}`,
  'brand_id',
  'id',
  'token_hash',
)

// Also those that nobody closed: an admin may send one again for as long.
const forget = sqlStatement<{ limit: number; days: number }, unknown>(
  `delete from workspaces.invitations where (brand_id, id) in (
     select brand_id, id from workspaces.invitations
     where coalesce(closed_at, expires_at) < platform.now() - make_interval(days => $2)
     order by coalesce(closed_at, expires_at) limit $1 for update skip locked)`,
  'limit',
  'days',
)

/** Over all brands, by the sweep. */
export const deleteClosed = (ctx: SystemCtx, given: { limit: number; days: number }) =>
  ctx.overBrands().db.run(forget, given)
export const listPending = (ctx: BrandCtx, slice: { limit: number; offset: number }) =>
  ctx.db.all(list, { brand_id: ctx.brandId, ...slice })
export const countPending = async (ctx: BrandCtx) =>
  (await ctx.db.first(count, { brand_id: ctx.brandId }))?.total ?? 0
export const updateExpired = (ctx: BrandTx, email: string) =>
  ctx.db.run(expire, { brand_id: ctx.brandId, email })

export async function insertInvitation(
  ctx: BrandTx,
  invitation: { email: string; role: string; invited_by: number | null; days: number },
): Promise<InvitationRow> {
  try {
    const row = await ctx.db.first(add, { brand_id: ctx.brandId, ...invitation })
    if (!row) throw new Error('nothing was inserted')
    return row
  } catch (error) {
    throw violates(error, 'invitations_pending_email') ? alreadyInvited() : error
  }
}
export const updateRevoked = (ctx: BrandTx, id: number) => ctx.db.first(revoke, { brand_id: ctx.brandId, id })
export const updateRevokedByEmail = (ctx: BrandTx, email: string) =>
  ctx.db.first(revokeOf, { brand_id: ctx.brandId, email })
export const updateRevokedByInviter = (ctx: BrandTx, invited_by: number) =>
  ctx.db.all(revokeBy, { brand_id: ctx.brandId, invited_by })
export const updateRenewed = (
  ctx: BrandTx,
  renewed: { id: number; days: number; invited_by: number | null },
) => ctx.db.first(renew, { brand_id: ctx.brandId, ...renewed })
export const updateLink = (ctx: BrandCtx, id: number, token_hash: string) =>
  ctx.db.first(link, { brand_id: ctx.brandId, id, token_hash })
export const updateDelivery = (ctx: BrandCtx, id: number, token_hash: string, delivery: 'sent' | 'refused') =>
  ctx.db.run(deliver, { brand_id: ctx.brandId, id, token_hash, delivery })
/** Over all brands: the link is all that its holder has. */
export const findByLink = (ctx: SystemCtx, token_hash: string) =>
  ctx.overBrands().db.first(byLink, { token_hash })
export const updateAccepted = (ctx: BrandTx, id: number, token_hash: string) =>
  ctx.db.first(accept, { brand_id: ctx.brandId, id, token_hash })
