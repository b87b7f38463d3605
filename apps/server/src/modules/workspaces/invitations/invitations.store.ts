import { alreadyInvited } from '@crewhall/contracts/workspaces/invitations.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { brandStatement, type Named, sql, statement } from '#platform/db/statement.ts'

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

interface One {
  readonly id: number
}

// GST-G3: an expired invitation is shown as such and stays, so that an admin can send it again.
const columns = `id, email, role, case when status = 'pending' and expires_at <= platform.now() then 'expired' else status end as status,
   delivery, expires_at, created_at, invited_by`
const one = (p: Named<One & { brand_id: number }>) =>
  sql`where brand_id = ${p.brand_id} and id = ${p.id} and status = 'pending'`

const list = brandStatement<{ limit: number; offset: number }, InvitationRow>(
  (
    p,
  ) => sql`select ${columns} from workspaces.invitations where brand_id = ${p.brand_id} and status = 'pending'
   order by id desc limit ${p.limit} offset ${p.offset}`,
)
const count = brandStatement<object, { total: number }>(
  (p) => sql`select count(*)::int as total from workspaces.invitations where brand_id = ${p.brand_id}
     and status = 'pending'`,
)
const expire = brandStatement<{ email: string }, unknown>(
  (p) => sql`update workspaces.invitations set status = 'expired', closed_at = platform.now()
   where brand_id = ${p.brand_id} and email = ${p.email} and status = 'pending' and expires_at <= platform.now()`,
)
const add = brandStatement<
  { email: string; role: string; invited_by: number | null; days: number },
  InvitationRow
>(
  (p) => sql`insert into workspaces.invitations (brand_id, email, role, invited_by, expires_at)
   values (${p.brand_id},
     ${p.email}, ${p.role}, ${p.invited_by}, platform.now() + make_interval(days => ${p.days}))
     returning ${columns}`,
)
const revoke = brandStatement<One, InvitationRow>(
  (p) => sql`update workspaces.invitations set status = 'revoked', closed_at = platform.now() ${one(p)}
     returning ${columns}`,
)
const revokeOf = brandStatement<{ email: string }, InvitationRow>(
  (p) => sql`update workspaces.invitations set status = 'revoked', closed_at = platform.now()
   where brand_id = ${p.brand_id} and email = ${p.email} and status = 'pending' returning ${columns}`,
)
// The unique index of pending ones begins with the brand; an admin who goes has invited few of them.
const revokeBy = brandStatement<{ invited_by: number }, InvitationRow>(
  (p) => sql`update workspaces.invitations set status = 'revoked', closed_at = platform.now()
   where brand_id = ${p.brand_id} and id in (
     select id from workspaces.invitations where brand_id = ${p.brand_id} and invited_by = ${p.invited_by}
       and status = 'pending'
     order by id for update)
   returning ${columns}`,
)
const renew = brandStatement<One & { days: number; invited_by: number | null }, InvitationRow>(
  (p) => sql`update workspaces.invitations set delivery = 'queued', invited_by = ${p.invited_by},
     expires_at = platform.now() + make_interval(days => ${p.days}) ${one(p)} returning ${columns}`,
)
// Only what still waits for its mail: a job that runs again after its mail went out finds nothing to do.
const link = brandStatement<One & { token_hash: string }, InvitationRow>(
  (p) => sql`update workspaces.invitations set token_hash = ${p.token_hash}
   ${one(p)} and delivery = 'queued' and expires_at > platform.now() returning ${columns}`,
)
// A link that was replaced meanwhile says nothing about the one that counts.
const deliver = brandStatement<One & { token_hash: string; delivery: string }, unknown>(
  (p) => sql`update workspaces.invitations set delivery = ${p.delivery} where brand_id = ${p.brand_id}
     and id = ${p.id} and token_hash = ${p.token_hash}`,
)
const byLink = statement<{ token_hash: string }, { brand_id: number; id: number; email: string }>(
  (p) => sql`select brand_id, id, email from workspaces.invitations
   where token_hash = ${p.token_hash} and status = 'pending' and expires_at > platform.now()`,
)
// Two who use one link, or one who uses it while it is taken back: the second finds nothing.
const accept = brandStatement<One & { token_hash: string }, InvitationRow>(
  (p) => sql`update workspaces.invitations set status = 'accepted', closed_at = platform.now(),
     token_hash = null
   ${one(p)} and token_hash = ${p.token_hash} and expires_at > platform.now() returning ${columns}`,
)

// Also those that nobody closed: an admin may send one again for as long.
const forget = statement<{ limit: number; days: number }, unknown>(
  (p) => sql`delete from workspaces.invitations where (brand_id, id) in (
     select brand_id, id from workspaces.invitations
     where coalesce(closed_at, expires_at) < platform.now() - make_interval(days => ${p.days})
     order by coalesce(closed_at, expires_at) limit ${p.limit} for update skip locked)`,
)

/** Over all brands, by the sweep. */
export const deleteClosed = (ctx: SystemCtx, given: { limit: number; days: number }) =>
  ctx.overBrands().db.run(forget, given)
export const listPending = (ctx: BrandCtx, slice: { limit: number; offset: number }) =>
  ctx.db.all(list, { ...slice })
export const countPending = async (ctx: BrandCtx) => (await ctx.db.first(count, {}))?.total ?? 0
export const updateExpired = (ctx: BrandTx, email: string) => ctx.db.run(expire, { email })

export async function insertInvitation(
  ctx: BrandTx,
  invitation: { email: string; role: string; invited_by: number | null; days: number },
): Promise<InvitationRow> {
  try {
    const row = await ctx.db.first(add, { ...invitation })
    if (!row) throw new Error('nothing was inserted')
    return row
  } catch (error) {
    throw violates(error, 'invitations_pending_email') ? alreadyInvited() : error
  }
}
export const updateRevoked = (ctx: BrandTx, id: number) => ctx.db.first(revoke, { id })
export const updateRevokedByEmail = (ctx: BrandTx, email: string) => ctx.db.first(revokeOf, { email })
export const updateRevokedByInviter = (ctx: BrandTx, invited_by: number) =>
  ctx.db.all(revokeBy, { invited_by })
export const updateRenewed = (
  ctx: BrandTx,
  renewed: { id: number; days: number; invited_by: number | null },
) => ctx.db.first(renew, { ...renewed })
export const updateLink = (ctx: BrandCtx, id: number, token_hash: string) =>
  ctx.db.first(link, { id, token_hash })
export const updateDelivery = (ctx: BrandCtx, id: number, token_hash: string, delivery: 'sent' | 'refused') =>
  ctx.db.run(deliver, { id, token_hash, delivery })
/** Over all brands: the link is all that its holder has. */
export const findByLink = (ctx: SystemCtx, token_hash: string) =>
  ctx.overBrands().db.first(byLink, { token_hash })
export const updateAccepted = (ctx: BrandTx, id: number, token_hash: string) =>
  ctx.db.first(accept, { id, token_hash })
