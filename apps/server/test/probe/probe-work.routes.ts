import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { nextWorkNaively } from './probe-work.contract.ts'

const look = brandStatement<object, { id: string; priority: string }>(
  (p) => sql`select id, priority from boards.cards where brand_id = ${p.brand_id} and archived_at is null
     and claim_id is null and status = 'pending'
   order by case priority when 'urgent' then 0 when 'high' then 1 when 'medium' then 2 when 'low' then 3 else 4 end,
     rank, id limit 1`,
)
const take = brandStatement<{ id: string }, unknown>(
  (p) => sql`update boards.cards set claim_id = gen_random_uuid(), claim_epoch = claim_epoch + 1,
     claim_holder = '{"kind":"agent","id":"x","name":"x","on_behalf_of":null}',
     claim_expires_at = platform.clock_now() + interval '15 minutes'
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)

export const probeWorkMounted = () => [
  handle(nextWorkNaively, (ctx) =>
    ctx.tx(async (ctx) => {
      const found = await ctx.db.first(look, {})
      if (!found) return { task_id: null, priority: '' }
      await ctx.db.run(take, { id: found.id })
      return { task_id: found.id, priority: found.priority }
    }),
  ),
]
