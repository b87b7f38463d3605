import { createHash } from 'node:crypto'
import { lastAdminDemoted, notAuthenticated, resetInstead } from '@crewhall/contracts/identity/refusals.ts'
import { alreadyInvited, invitationDead } from '@crewhall/contracts/workspaces/invitations.ts'
import { hashOfPassword, joinBrand } from '#modules/identity'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-members.contract.ts'

const done = { done: true } as const

const countAdmins = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from identity.memberships
   where brand_id = ${p.brand_id} and role = 'admin' and status = 'active'`,
)
const demote = brandStatement<{ person_id: number }, unknown>(
  (p) => sql`update identity.memberships set role = 'member' where brand_id = ${p.brand_id}
     and person_id = ${p.person_id}`,
)
const countWorkspaces = statement<{ person_id: number }, { count: number }>(
  (p) => sql`select identity.count_workspaces(${p.person_id}) as count`,
)
const writePassword = statement<{ person_id: number; hash: string }, unknown>(
  (p) => sql`update identity.passwords set password_hash = ${p.hash} where person_id = ${p.person_id}`,
)
const findPending = statement<{ brand_id: number; email: string }, { id: number }>(
  (p) => sql`select id from workspaces.invitations where brand_id = ${p.brand_id} and email = ${p.email}
     and status = 'pending'`,
)
const insertPending = statement<{ brand_id: number; email: string }, unknown>(
  (p) => sql`insert into workspaces.invitations (brand_id, email, role, expires_at)
   values (${p.brand_id}, ${p.email}, 'member', platform.now() + interval '7 days')`,
)
const findLink = statement<{ hash: string }, { brand_id: number; id: number }>(
  (p) =>
    sql`select brand_id, id from workspaces.invitations where token_hash = ${p.hash} and status = 'pending'`,
)
const close = statement<{ brand_id: number; id: number }, unknown>(
  (p) => sql`update workspaces.invitations set status = 'accepted', closed_at = platform.now()
     where brand_id = ${p.brand_id} and id = ${p.id}`,
)

export const probeMembersMounted = () => [
  handle(contract.naiveDemote, async (ctx, { params }) => {
    const admins = (await ctx.db.first(countAdmins, {}))?.count ?? 0
    if (admins === 1) throw lastAdminDemoted()
    await ctx.tx((tx) => tx.db.run(demote, { person_id: params.user_id }))
    return done
  }),
  handle(contract.naiveSetPassword, async (ctx, { params, body }) => {
    const person_id = params.user_id
    const workspaces = (await ctx.db.first(countWorkspaces, { person_id }))?.count ?? 0
    if (workspaces > 1) throw resetInstead()
    const hash = await hashOfPassword(body.password)
    await ctx.tx((tx) => tx.db.run(writePassword, { person_id, hash }))
    return done
  }),
  handle(contract.naiveInvite, async (ctx, { body }) => {
    const wanted = { brand_id: ctx.brandId, email: body.email }
    if (await ctx.db.first(findPending, wanted)) throw alreadyInvited()
    await ctx.tx((tx) => tx.db.run(insertPending, wanted))
    return done
  }),
  handle(contract.naiveAccept, async (ctx, { body }) => {
    const { actor } = ctx
    if (actor.kind !== 'person') throw notAuthenticated()
    const hash = createHash('sha256').update(body.token).digest('hex')
    const found = await ctx.overBrands().db.first(findLink, { hash })
    if (!found) throw invitationDead()
    await ctx.forBrand(found.brand_id).tx(async (tx) => {
      await joinBrand(tx, actor.person_id, 'member')
      await tx.db.run(close, found)
    })
    return done
  }),
]
