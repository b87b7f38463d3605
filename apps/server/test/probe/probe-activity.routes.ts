import { sqlStatement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { probeActivityRoutes } from './probe-activity.contract.ts'

const add = sqlStatement<{ brand_id: number }, { id: number }>(
  'insert into probe.naive_activity (brand_id, created_at) values ($1, now()) returning id',
  'brand_id',
)
/** What a real change does between its first statement and its commit. */
const work = sqlStatement<object, unknown>('select pg_sleep(random() * 0.05)')
const list = sqlStatement<{ brand_id: number; since: string }, { id: number; created_at: string }>(
  `select id, created_at from probe.naive_activity where brand_id = $1 and created_at > $2::timestamptz
   order by created_at, id limit 500`,
  'brand_id',
  'since',
)

export const probeActivityMounted = () => [
  handle(probeActivityRoutes.addNaiveActivity, (ctx) =>
    ctx.tx(async (ctx) => {
      const row = await ctx.db.first(add, { brand_id: ctx.brandId })
      if (!row) throw new Error('nothing was inserted')
      await ctx.db.run(work, {})
      return row
    }),
  ),
  handle(probeActivityRoutes.listNaiveActivity, async (ctx, { query }) => ({
    items: await ctx.db.all(list, { brand_id: ctx.brandId, since: query.since }),
  })),
]
