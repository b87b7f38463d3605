import { randomUUIDv7 } from 'node:crypto'
import * as refused from '@crewhall/contracts/hires/refusals.ts'
import { issueServiceToken } from '#modules/identity'
import type { Actor } from '#platform/ctx/actor.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import { handle, handleEither } from '#platform/http/handle.ts'
import { hireNaively, issueCredentialNaively } from './probe-hires.contract.ts'

type Profile = { readonly profile_id: string }
type Id = { readonly id: string }

const subscription = brandStatement<object, { status: string }>(
  (p) => sql`select subscription_status as status from identity.brands where id = ${p.brand_id}`,
)
const held = brandStatement<Profile, Id>(
  (p) => sql`select id from hires.hires
   where brand_id = ${p.brand_id} and profile_id = ${p.profile_id} and status in ('provisioning', 'active')`,
)
const hires = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from hires.hires
   where brand_id = ${p.brand_id} and not is_grant and created_at > platform.now() - interval '1 hour'`,
)
const grants = statement<{ admin: string }, { count: number }>(
  (p) => sql`select count(*)::int as count from hires.grants
   where admin = ${p.admin} and created_at > platform.now() - interval '1 hour'`,
)
const add = brandStatement<Profile & Id & { is_grant: boolean }, unknown>(
  (
    p,
  ) => sql`insert into hires.hires (brand_id, id, profile_id, version, is_grant, current_period_end, created_at)
   select ${p.brand_id}, ${p.id}, profile_id, version, ${p.is_grant}, platform.now(), platform.now()
   from hires.employees where profile_id = ${p.profile_id}`,
)
const note = statement<{ admin: string } & Id, unknown>(
  (p) => sql`insert into hires.grants (admin, created_at, hire_id)
   values (${p.admin}, platform.now(), ${p.id})`,
)

const hire = (ctx: BrandCtx, profile_id: string, admin: string | undefined) =>
  ctx.tx(async (ctx) => {
    const is_grant = admin !== undefined
    if (!is_grant && (await ctx.db.first(subscription, {}))?.status !== 'active')
      throw refused.noSubscription()
    const existing = await ctx.db.first(held, { profile_id })
    if (existing) throw refused.alreadyHired(existing.id)
    const counted = is_grant ? await ctx.db.first(grants, { admin }) : await ctx.db.first(hires, {})
    const most = is_grant ? refused.maxGrantsPerHour : refused.maxHiresPerHour
    if ((counted?.count ?? 0) >= most) throw (is_grant ? refused.tooManyGrants : refused.tooManyHires)()
    const id = randomUUIDv7()
    await ctx.db.run(add, { profile_id, id, is_grant })
    if (is_grant) await ctx.db.run(note, { admin, id })
    return { hire_id: id }
  })

const nameOf = (actor: Actor): string => (actor.kind === 'person' ? `person:${actor.person_id}` : actor.kind)

const current = brandStatement<Id, { agent_id: string; token_id: string | null }>(
  (p) => sql`select agent_id, token_id from hires.hires where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const revoke = brandStatement<Id, unknown>(
  (p) =>
    sql`update identity.tokens set revoked_at = platform.now() where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const setToken = brandStatement<Id & { token_id: string }, unknown>(
  (p) => sql`update hires.hires set token_id = ${p.token_id} where brand_id = ${p.brand_id} and id = ${p.id}`,
)

export const probeHiresMounted = () => [
  handle(issueCredentialNaively, (ctx, { params: { hire_id: id } }) =>
    ctx.tx(async (ctx) => {
      const found = await ctx.db.first(current, { id })
      if (!found) throw refused.hireNotFound()
      const { agent_id, token_id } = found
      const issued = await issueServiceToken(ctx, { agent_id, name: 'Naive', scopes: ['brand:read'] })
      if (token_id !== null) await ctx.db.run(revoke, { id: token_id })
      await ctx.db.run(setToken, { id, token_id: issued.id })
      return { token: issued.token }
    }),
  ),
  handleEither(hireNaively, {
    session: (ctx, { params }) => hire(ctx, params.profile_id, undefined),
    admin: (ctx, { params, body }) => hire(ctx.forBrand(body.brand_id), params.profile_id, nameOf(ctx.actor)),
  }),
]
