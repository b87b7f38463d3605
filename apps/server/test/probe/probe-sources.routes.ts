import { sourceQuotaExceeded } from '@crewhall/contracts/conversations/refusals.ts'
import { planOf } from '#modules/identity'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { createSourceNaively } from './probe-sources.contract.ts'

const count = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from conversations.sources where brand_id = ${p.brand_id}`,
)
const add = brandStatement<{ agent_id: string; source_type: string }, unknown>(
  (p) => sql`insert into conversations.sources (brand_id, id, agent_id, source_type, config)
   values (${p.brand_id}, gen_random_uuid(), ${p.agent_id}, ${p.source_type}, '')`,
)

export const probeSourcesMounted = () => [
  handle(createSourceNaively, (ctx, { body: { agent_id, source_type } }) =>
    ctx.tx(async (ctx) => {
      const { source_cap } = await planOf(ctx)
      const current = (await ctx.db.first(count, {}))?.count ?? 0
      if (current >= source_cap) throw sourceQuotaExceeded(source_cap, current)
      await ctx.db.run(add, { agent_id, source_type })
      return {}
    }),
  ),
]
