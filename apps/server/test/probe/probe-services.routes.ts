import * as identity from '#modules/identity'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-services.contract.ts'

type OfAgent = { readonly agent_id: string }
const find = brandStatement<OfAgent, { person_id: number }>(
  (p) => sql`select person_id from identity.memberships
   where brand_id = ${p.brand_id} and agent_id = ${p.agent_id} and status = 'service'`,
)
const insertPerson = statement<object, { id: number }>(
  () => sql`insert into identity.people (email, full_name, kind)
   values (gen_random_uuid() || '@service.invalid', 'Naive', 'service') returning id`,
)
const insertService = brandStatement<OfAgent & { person_id: number }, unknown>(
  (p) => sql`insert into identity.memberships (brand_id, person_id, role, status, agent_id)
   values (${p.brand_id}, ${p.person_id}, 'member', 'service', ${p.agent_id})`,
)

const done = { done: true as const }

export const probeServicesMounted = () => [
  handle(contract.openService, (ctx, { params }) =>
    ctx.tx((ctx) => identity.openService(ctx, params.agent_id)),
  ),
  handle(contract.naiveOpenService, (ctx, { params }) =>
    ctx.tx(async (ctx) => {
      const found = await ctx.db.first(find, params)
      if (found) return { ...found, is_new: false }
      const person_id = (await ctx.db.first(insertPerson, {}))?.id ?? 0
      await ctx.db.run(insertService, { ...params, person_id })
      return { person_id, is_new: true }
    }),
  ),
  handle(contract.issueServiceToken, (ctx, { params, body }) =>
    ctx.tx((ctx) => identity.issueServiceToken(ctx, { ...params, ...body })),
  ),
  handle(contract.renewServiceToken, async (ctx, { params }) => ({
    done: await ctx.tx((ctx) => identity.renewServiceToken(ctx, params.token_id)),
  })),
  handle(contract.narrowServiceToken, async (ctx, { params, body }) => ({
    done: await ctx.tx((ctx) => identity.narrowServiceToken(ctx, params.token_id, body.scopes)),
  })),
  handle(contract.revokeServiceTokens, async (ctx, { params }) => {
    await ctx.tx((ctx) => identity.revokeServiceTokens(ctx, params.agent_id, [params.token_id]))
    return done
  }),
  handle(contract.closeService, async (ctx, { params }) => {
    await ctx.tx((ctx) => identity.closeService(ctx, params.agent_id))
    return done
  }),
]
