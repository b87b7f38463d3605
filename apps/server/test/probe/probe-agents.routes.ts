import { randomUUID } from 'node:crypto'
import { agentIdTaken, agentNotOwned, notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-agents.contract.ts'

const find = brandStatement<{ agent_id: string }, { status: string }>(
  (p) => sql`select status from identity.agents where brand_id = ${p.brand_id} and agent_id = ${p.agent_id}`,
)
const insertAgent = brandStatement<{ agent_id: string; name: string }, unknown>(
  (p) => sql`insert into identity.agents (brand_id, agent_id, name)
   values (${p.brand_id}, ${p.agent_id}, ${p.name})`,
)
const insertToken = brandStatement<{ id: string; person_id: number; agent_id: string }, unknown>(
  (
    p,
  ) => sql`insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes, agent_id,
     expires_at)
   values (${p.brand_id}, ${p.id}::uuid, ${p.person_id}, 'naive', 'abcd',
     decode(replace(${p.id}::uuid::text, '-', ''), 'hex'), '{}', ${p.agent_id},
     platform.now() + interval '90 days')`,
)

export const probeAgentsMounted = () => [
  handle(contract.naiveCreateAgent, (ctx, { body: { agent_id, name } }) =>
    ctx.tx(async (ctx) => {
      if (await ctx.db.first(find, { agent_id })) throw agentIdTaken()
      await ctx.db.run(insertAgent, { agent_id, name })
      return { done: true as const }
    }),
  ),
  handle(contract.naiveIssueAgentToken, (ctx, { body: { agent_id } }) =>
    ctx.tx(async (ctx) => {
      const { actor } = ctx
      if (actor.kind !== 'person') throw notAuthenticated()
      const agent = await ctx.db.first(find, { agent_id })
      if (agent?.status !== 'active') throw agentNotOwned()
      const id = randomUUID()
      await ctx.db.run(insertToken, { id, person_id: actor.person_id, agent_id })
      await ctx.audit({ action: 'token.issued', target: `token:${id}`, from: null, to: null })
      return { done: true as const }
    }),
  ),
]
