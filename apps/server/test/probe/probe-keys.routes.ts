import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { probeKeyRoutes } from './probe-keys.contract.ts'

type Key = { brand_id: number; key: string }
const count = statement<Key, { done: number }>(
  (p) => sql`select count(*)::int as done from probe.naive_keys where brand_id = ${p.brand_id}
     and key = ${p.key}`,
)
const add = statement<Key, unknown>(
  (p) => sql`insert into probe.naive_keys (brand_id, key) values (${p.brand_id}, ${p.key})`,
)

export const probeKeysMounted = () => [
  handle(probeKeyRoutes.doNaiveOnce, (ctx, { body }) =>
    ctx.tx(async (ctx) => {
      const key = { brand_id: ctx.brandId, key: body.key }
      const known = await ctx.db.first(count, key)
      if (known && known.done > 0) return known
      await ctx.db.run(add, key)
      return { done: 1 }
    }),
  ),
  handle(probeKeyRoutes.countNaiveKeys, async (ctx, { query }) => {
    const found = await ctx.db.first(count, { brand_id: ctx.brandId, key: query.key })
    return { done: found?.done ?? 0 }
  }),
]
