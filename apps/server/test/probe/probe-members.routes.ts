import { createHash } from 'node:crypto'
import { lastAdminDemoted, notAuthenticated, resetInstead } from '@crewhall/contracts/identity/refusals.ts'
import { alreadyInvited, invitationDead } from '@crewhall/contracts/workspaces/invitations.ts'
import { hashOfPassword, joinBrand } from '#modules/identity'
import { sqlStatement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-members.contract.ts'

const done = { done: true } as const

const countAdmins = sqlStatement<{ brand_id: number }, { count: number }>(
  `select count(*)::int as count from identity.memberships
   where brand_id = $1 and role = 'admin' and status = 'active'`,
  'brand_id',
)
const demote = sqlStatement<{ brand_id: number; person_id: number }, unknown>(
  `update identity.memberships set role = 'member' where brand_id = $1 and person_id = $2`,
  'brand_id',
  'person_id',
)
const countWorkspaces = sqlStatement<{ person_id: number }, { count: number }>(
  'select identity.count_workspaces($1) as count',
  'person_id',
)
const writePassword = sqlStatement<{ person_id: number; hash: string }, unknown>(
  'update identity.passwords set password_hash = $2 where person_id = $1',
  'person_id',
  'hash',
)
const findPending = sqlStatement<{ brand_id: number; email: string }, { id: number }>(
  `select id from workspaces.invitations where brand_id = $1 and email = $2 and status = 'pending'`,
  'brand_id',
  'email',
)
const insertPending = sqlStatement<{ brand_id: number; email: string }, unknown>(
  `insert into workspaces.invitations (brand_id, email, role, expires_at)
   values ($1, $2, 'member', platform.now() + interval '7 days')`,
  'brand_id',
  'email',
)
const findLink = sqlStatement<{ hash: string }, { brand_id: number; id: number }>(
  `select brand_id, id from workspaces.invitations where token_hash = $1 and status = 'pending'`,
  'hash',
)
const close = sqlStatement<{ brand_id: number; id: number }, unknown>(
  `update workspaces.invitations set status = 'accepted', closed_at = platform.now() where brand_id = $1 and id = $2`,
  'brand_id',
  'id',
)

export const probeMembersMounted = () => [
  handle(contract.naiveDemote, async (ctx, { params }) => {
    const admins = (await ctx.db.first(countAdmins, { brand_id: ctx.brandId }))?.count ?? 0
    if (admins === 1) throw lastAdminDemoted()
    await ctx.tx((tx) => tx.db.run(demote, { brand_id: ctx.brandId, person_id: params.user_id }))
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
