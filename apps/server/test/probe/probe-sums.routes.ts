import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { sumNaively } from './probe-sums.contract.ts'

type Of = { board_id: string }
const read = brandStatement<Of, { cards_done: number }>(
  (p) => sql`select cards_done from boards.sums where brand_id = ${p.brand_id} and board_id = ${p.board_id}`,
)
const write = brandStatement<Of & { cards_done: number }, unknown>(
  (p) => sql`update boards.sums set cards_done = ${p.cards_done}
   where brand_id = ${p.brand_id} and board_id = ${p.board_id}`,
)

export const probeSumsMounted = () => [
  handle(sumNaively, (ctx, { params: { board_id } }) =>
    ctx.tx(async (ctx) => {
      const cards_done = ((await ctx.db.first(read, { board_id }))?.cards_done ?? 0) + 1
      await ctx.db.run(write, { board_id, cards_done })
      return { cards_done }
    }),
  ),
]
