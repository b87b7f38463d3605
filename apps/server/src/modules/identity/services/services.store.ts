import { formerMember } from '@crewhall/contracts/former-member.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import { live, type RevokedRow, revokedColumns } from '../tokens/tokens.store.ts'

type OfAgent = { readonly agent_id: string }
type OfPerson = { readonly person_id: number }

export interface ServiceRow {
  readonly person_id: number
  readonly status: 'service' | 'removed'
}

const hold = brandStatement<OfAgent, ServiceRow>(
  (p) => sql`select person_id, status from identity.memberships
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} for no key update`,
)
// Nobody receives mail there, and nobody can sign up with it.
const addPerson = statement<{ name: string }, { id: number }>(
  (p) => sql`insert into identity.people (email, full_name, kind)
   values ('service-' || gen_random_uuid() || '@service.invalid', ${p.name}, 'service') returning id`,
)
const add = brandStatement<OfAgent & OfPerson, unknown>(
  (p) => sql`insert into identity.memberships (brand_id, person_id, role, status, agent_id)
   values (${p.brand_id}, ${p.person_id}, 'member', 'service', ${p.agent_id})`,
)
const reopen = brandStatement<OfAgent, unknown>(
  (p) => sql`update identity.memberships set status = 'service', joined_at = platform.now(), removed_at = null
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and status = 'removed'`,
)
const close = brandStatement<OfAgent, unknown>(
  (p) => sql`update identity.memberships set status = 'removed', removed_at = platform.now()
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and status = 'service'`,
)
const rename = brandStatement<OfAgent & { name: string }, unknown>(
  (p) => sql`update identity.people p set full_name = ${p.name}, updated_at = platform.now()
   from identity.memberships m where m.brand_id = ${p.brand_id} and m.agent_id = ${p.agent_id}
     and p.id = m.person_id and p.kind = 'service' and p.full_name <> ${p.name}`,
)
const revoke = brandStatement<OfPerson, RevokedRow>(
  (p) => sql`update identity.tokens t set revoked_at = platform.now()
   where t.brand_id = ${p.brand_id} and t.person_id = ${p.person_id} and ${live} returning ${revokedColumns}`,
)
// With the workspace all that it called them goes. Numbers stay, for what names them.
const forget = brandStatement<{ limit: number; full_name: string }, unknown>(
  (
    p,
  ) => sql`update identity.people set email = 'erased-' || id || '@erased.invalid', full_name = ${p.full_name},
     erased_at = platform.now(), updated_at = platform.now()
   where id in (select p.id from identity.memberships m join identity.people p on p.id = m.person_id
     where m.brand_id = ${p.brand_id} and m.agent_id is not null and p.kind = 'service' and p.erased_at is null
     order by p.id limit ${p.limit})`,
)

/** It stays as it is until the commit, and so do its tokens. */
export const lockService = (ctx: BrandTx, agent_id: string) => ctx.db.first(hold, { agent_id })
export const insertServicePerson = async (ctx: BrandTx, name: string): Promise<number | undefined> =>
  (await ctx.db.first(addPerson, { name }))?.id
/** Nothing in a workspace that is erased. */
export const insertService = (ctx: BrandTx, service: OfAgent & OfPerson) => ctx.db.run(add, { ...service })
export const updateReopened = (ctx: BrandTx, agent_id: string) => ctx.db.run(reopen, { agent_id })
export const updateClosed = (ctx: BrandTx, agent_id: string) => ctx.db.run(close, { agent_id })
export const updateServiceName = (ctx: BrandTx, agent_id: string, name: string) =>
  ctx.db.run(rename, { agent_id, name })
export const updateServiceRevoked = (ctx: BrandTx, person_id: number) => ctx.db.all(revoke, { person_id })
export const updateServicesForgotten = (ctx: BrandCtx, limit: number) =>
  ctx.db.run(forget, { limit, full_name: formerMember })
