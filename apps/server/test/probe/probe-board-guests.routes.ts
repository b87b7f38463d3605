import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import { alreadyMember } from '@crewhall/contracts/workspaces/invitations.ts'
import { findMembership } from '#modules/identity'
import { sql, statement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-board-guests.contract.ts'

const findAccess = statement<{ person_id: number; board_id: string }, { brand_id: number }>(
  (p) => sql`select brand_id from boards.guests where person_id = ${p.person_id} and board_id = ${p.board_id}
     and role <> 'viewer'`,
)
const tell = statement<{ brand_id: number; board_id: string }, unknown>(
  (p) => sql`with stamp as (
     update boards.boards
     set last_activity_at = greatest(platform.clock_now(), last_activity_at + interval '1 microsecond')
     where brand_id = ${p.brand_id} and id = ${p.board_id} returning last_activity_at
   )
   insert into boards.activity (brand_id, board_id, created_at, action, actor)
   select ${p.brand_id}, ${p.board_id}, last_activity_at, 'task.commented',
     '{"kind":"guest","id":"1","name":"G","on_behalf_of":null}'
   from stamp`,
)
const insertAccess = statement<{ brand_id: number; board_id: string; person_id: number }, unknown>(
  (p) => sql`insert into boards.guests (brand_id, board_id, person_id, role)
     values (${p.brand_id}, ${p.board_id}, ${p.person_id}, 'viewer')`,
)
const countAccess = statement<{ brand_id: number }, { count: number }>(
  (p) => sql`select count(*)::int as count from boards.guests where brand_id = ${p.brand_id}`,
)

export const probeBoardGuestsMounted = () => [
  handle(contract.naiveGuestComment, async (ctx, { params: { board_id } }) => {
    const person_id = ctx.actor.kind === 'person' ? ctx.actor.person_id : 0
    const found = await ctx.overBrands().db.first(findAccess, { person_id, board_id })
    if (!found) throw boardNotFound()
    const { brand_id } = found
    const brand = ctx.forBrand(brand_id)
    // The product asks for a few more things between looking and writing.
    await brand.db.first(countAccess, { brand_id })
    await brand.db.first(countAccess, { brand_id })
    await brand.db.run(tell, { brand_id, board_id })
    return { written: true as const }
  }),
  handle(contract.naiveAdmitToBoard, async (ctx, { params: { board_id, user_id } }) => {
    const brand_id = ctx.brandId
    if (await findMembership(ctx, user_id)) throw alreadyMember()
    await ctx.db.first(countAccess, { brand_id })
    await ctx.db.first(countAccess, { brand_id })
    await ctx.db.run(insertAccess, { brand_id, board_id, person_id: user_id })
    return { admitted: true as const }
  }),
]
