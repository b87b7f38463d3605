import { boardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import { alreadyMember } from '@crewhall/contracts/workspaces/invitations.ts'
import { findMembership } from '#modules/identity'
import { sqlStatement } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import * as contract from './probe-board-guests.contract.ts'

const findAccess = sqlStatement<{ person_id: number; board_id: string }, { brand_id: number }>(
  `select brand_id from boards.guests where person_id = $1 and board_id = $2 and role <> 'viewer'`,
  'person_id',
  'board_id',
)
const tell = sqlStatement<{ brand_id: number; board_id: string }, unknown>(
  `with stamp as (
     update boards.boards
     set last_activity_at = greatest(platform.clock_now(), last_activity_at + interval '1 microsecond')
     where brand_id = $1 and id = $2 returning last_activity_at
   )
   insert into boards.activity (brand_id, board_id, created_at, action, actor)
   select $1, $2, last_activity_at, 'task.commented', '{"kind":"guest","id":"1","name":"G","on_behalf_of":null}'
   from stamp`,
  'brand_id',
  'board_id',
)
const insertAccess = sqlStatement<{ brand_id: number; board_id: string; person_id: number }, unknown>(
  `insert into boards.guests (brand_id, board_id, person_id, role) values ($1, $2, $3, 'viewer')`,
  'brand_id',
  'board_id',
  'person_id',
)
const countAccess = sqlStatement<{ brand_id: number }, { count: number }>(
  'select count(*)::int as count from boards.guests where brand_id = $1',
  'brand_id',
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
