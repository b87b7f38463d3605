import { brandStatement, sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { probeActivityRoutes } from './probe-activity.contract.ts'

const add = brandStatement<object, { id: number }>(
  (p) =>
    sql`insert into probe.naive_activity (brand_id, created_at) values (${p.brand_id}, now()) returning id`,
)
/** What a real change does between its first statement and its commit. */
const work = statement<object, unknown>(() => sql`select pg_sleep(random() * 0.05)`)
const list = brandStatement<{ since: string }, { id: number; created_at: string }>(
  (p) => sql`select id, created_at from probe.naive_activity where brand_id = ${p.brand_id}
     and created_at > ${p.since}::timestamptz
   order by created_at, id limit 500`,
)

export const probeActivityMounted = () => [
  handle(probeActivityRoutes.addNaiveActivity, (ctx) =>
    ctx.tx(async (ctx) => {
      const row = await ctx.db.first(add, {})
      if (!row) throw new Error('nothing was inserted')
      await ctx.db.run(work, {})
      return row
    }),
  ),
  handle(probeActivityRoutes.listNaiveActivity, async (ctx, { query }) => ({
    items: await ctx.db.all(list, { since: query.since }),
  })),
]
