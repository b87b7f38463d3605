import { sqlStatement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { circle, relateNaively } from './probe-relations.contract.ts'

type Pair = { brand_id: number; card_id: string; other_id: string }

const reaches = sqlStatement<Pair, { found: boolean }>(
  `with recursive way as (
     select $3::uuid as id
     union
     select r.other_id from boards.relations r join way on way.id = r.card_id
     where r.brand_id = $1 and r.kind = 'blocks'
   )
   select exists (select 1 from way where id = $2) as found`,
  'brand_id',
  'card_id',
  'other_id',
)
const add = sqlStatement<Pair, unknown>(
  `insert into boards.relations (brand_id, card_id, kind, other_id) values ($1, $2, 'blocks', $3)`,
  'brand_id',
  'card_id',
  'other_id',
)

export const probeRelationsMounted = () => [
  handle(relateNaively, (ctx, { params }) =>
    ctx.tx(async (ctx) => {
      const pair = { brand_id: ctx.brandId, card_id: params.task_id, other_id: params.other_id }
      if ((await ctx.db.first(reaches, pair))?.found) throw circle()
      await ctx.db.run(add, pair)
      return {}
    }),
  ),
]
