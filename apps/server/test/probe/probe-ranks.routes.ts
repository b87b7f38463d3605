import { generateNKeysBetween } from 'fractional-indexing'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { spreadNaively } from './probe-ranks.contract.ts'

const list = brandStatement<{ column_id: string }, { id: string; rank: string }>(
  (p) => sql`select id, rank from boards.cards where brand_id = ${p.brand_id} and column_id = ${p.column_id}
   order by rank`,
)
const write = brandStatement<{ ids: readonly string[]; ranks: readonly string[] }, unknown>(
  (p) => sql`update boards.cards c set rank = s.rank
   from unnest(${p.ids}::uuid[], ${p.ranks}::text[]) as s (id, rank)
   where c.brand_id = ${p.brand_id} and c.id = s.id`,
)

export const probeRanksMounted = () => [
  handle(spreadNaively, (ctx, { params }) =>
    ctx.tx(async (ctx) => {
      const cards = await ctx.db.all(list, params)
      const taken = new Set(cards.map(({ rank }) => rank))
      const free = generateNKeysBetween(null, null, 2 * cards.length).filter((rank) => !taken.has(rank))
      const ids = cards.map(({ id }) => id)
      await ctx.db.run(write, { ids, ranks: free.slice(0, ids.length) })
      return {}
    }),
  ),
]
