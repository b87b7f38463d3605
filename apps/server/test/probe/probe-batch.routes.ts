import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { writeBatchNaively } from './probe-batch.contract.ts'

const lock = brandStatement<{ card_id: string }, unknown>(
  (p) => sql`select 1 from boards.boards where brand_id = ${p.brand_id}
     and id = (select board_id from boards.cards where brand_id = ${p.brand_id}
       and id = ${p.card_id}) for no key update`,
)
const write = brandStatement<{ card_id: string }, unknown>(
  (p) => sql`update boards.cards set version = version + 1 where brand_id = ${p.brand_id}
     and id = ${p.card_id}`,
)

export const probeBatchMounted = () => [
  handle(writeBatchNaively, async (ctx, { params: { task_id, other_id } }) => {
    let attempts = 0
    await ctx.tx(async (ctx) => {
      attempts += 1
      for (const card_id of [task_id, other_id]) {
        await ctx.db.run(lock, { card_id })
        await ctx.db.run(write, { card_id })
      }
    })
    return { attempts }
  }),
]
