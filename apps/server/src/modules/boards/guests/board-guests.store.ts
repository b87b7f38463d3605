import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export const boardGuestTables = {
  guests: sql`boards.guests`,
  resources: sql`boards.boards`,
  resource_id: sql`board_id`,
  is_guest_elsewhere: sql`boards.is_guest_elsewhere`,
}

// In the order of ids, as relations between boards lock them.
const lockBoards = brandStatement<{ person_id: number }, { id: string }>(
  (p) => sql`select id from boards.boards
   where brand_id = ${p.brand_id} and id in (select board_id from boards.guests where brand_id = ${p.brand_id}
     and person_id = ${p.person_id})
   order by id for no key update`,
)

export const lockBoardsOfGuest = (ctx: BrandTx, person_id: number) => ctx.db.all(lockBoards, { person_id })
