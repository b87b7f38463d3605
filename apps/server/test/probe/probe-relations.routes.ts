import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { circle, finishNaively, relateNaively } from './probe-relations.contract.ts'

type Pair = { brand_id: number; card_id: string; other_id: string }

const reaches = statement<Pair, { found: boolean }>(
  (p) => sql`with recursive way as (
     select ${p.other_id}::uuid as id
     union
     select r.other_id from boards.relations r join way on way.id = r.card_id
     where r.brand_id = ${p.brand_id} and r.kind = 'blocks'
   )
   select exists (select 1 from way where id = ${p.card_id}) as found`,
)
const add = statement<Pair, unknown>(
  (p) => sql`insert into boards.relations (brand_id, card_id, kind, other_id)
     values (${p.brand_id}, ${p.card_id}, 'blocks', ${p.other_id})`,
)
type One = { brand_id: number; card_id: string }
const lock = statement<One, unknown>(
  (p) => sql`select 1 from boards.boards where brand_id = ${p.brand_id}
     and id = (select board_id from boards.cards where brand_id = ${p.brand_id}
       and id = ${p.card_id}) for no key update`,
)
const finish = statement<One, unknown>(
  (p) => sql`update boards.cards set status = 'done' where brand_id = ${p.brand_id} and id = ${p.card_id}`,
)
const recount = statement<One, unknown>(
  (p) => sql`update boards.cards c set open_blockers = (
     select count(*) from boards.relations r
     join boards.cards b on b.brand_id = ${p.brand_id} and b.id = r.card_id
     where r.brand_id = ${p.brand_id} and r.other_id = c.id and r.kind = 'blocks' and b.status <> 'done')
   where c.brand_id = ${p.brand_id} and c.id in (
     select other_id from boards.relations where brand_id = ${p.brand_id} and card_id = ${p.card_id}
       and kind = 'blocks')`,
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
