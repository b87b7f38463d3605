import { sqlStatement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { circle, finishNaively, relateNaively } from './probe-relations.contract.ts'

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
type One = { brand_id: number; card_id: string }
const lock = sqlStatement<One, unknown>(
  `select 1 from boards.boards where brand_id = $1
     and id = (select board_id from boards.cards where brand_id = $1 and id = $2) for no key update`,
  'brand_id',
  'card_id',
)
const finish = sqlStatement<One, unknown>(
  `update boards.cards set status = 'done' where brand_id = $1 and id = $2`,
  'brand_id',
  'card_id',
)
const recount = sqlStatement<One, unknown>(
  `update boards.cards c set open_blockers = (
     select count(*) from boards.relations r
     join boards.cards b on b.brand_id = $1 and b.id = r.card_id
     where r.brand_id = $1 and r.other_id = c.id and r.kind = 'blocks' and b.status <> 'done')
   where c.brand_id = $1 and c.id in (
     select other_id from boards.relations where brand_id = $1 and card_id = $2 and kind = 'blocks')`,
  'brand_id',
  'card_id',
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
  handle(finishNaively, (ctx, { params }) =>
    ctx.tx(async (ctx) => {
      const one = { brand_id: ctx.brandId, card_id: params.task_id }
      await ctx.db.run(lock, one)
      await ctx.db.run(finish, one)
      await ctx.db.run(recount, one)
      return {}
    }),
  ),
]
