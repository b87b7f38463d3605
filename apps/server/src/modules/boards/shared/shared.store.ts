import type { SharedBoardSummary } from '@crewhall/contracts/boards/shared.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

const columns = `b.id, b.brand_id, b.key, b.name, b.description, b.card_count, b.archived_at, g.role, g.added_at`
const joined = 'boards.guests g join boards.boards b on b.brand_id = g.brand_id and b.id = g.board_id'

const list = statement<{ person_id: number; after: string; limit: number }, SharedBoardSummary>(
  (p) => sql`select ${columns} from ${joined}
   where g.person_id = ${p.person_id} and g.board_id > ${p.after} order by g.board_id limit ${p.limit}`,
)
const one = statement<{ person_id: number; board_id: string }, SharedBoardSummary>(
  (p) =>
    sql`select ${columns} from ${joined} where g.person_id = ${p.person_id} and g.board_id = ${p.board_id}`,
)

// Over all workspaces, and only what is shared with that person: a guest belongs to none of them.
export const listShared = (ctx: SystemCtx, wanted: { person_id: number; after: string; limit: number }) =>
  ctx.overBrands().db.all(list, wanted)
export const findShared = (ctx: SystemCtx, person_id: number, board_id: string) =>
  ctx.overBrands().db.first(one, { person_id, board_id })
