import type { SharedBoardSummary } from '@crewhall/contracts/boards/shared.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

const columns = `b.id, b.brand_id, b.key, b.name, b.description, b.card_count, b.archived_at, g.role, g.added_at`
const joined = 'boards.guests g join boards.boards b on b.brand_id = g.brand_id and b.id = g.board_id'

const list = sqlStatement<{ person_id: number; after: string; limit: number }, SharedBoardSummary>(
  `select ${columns} from ${joined}
   where g.person_id = $1 and g.board_id > $2 order by g.board_id limit $3`,
  'person_id',
  'after',
  'limit',
)
const one = sqlStatement<{ person_id: number; board_id: string }, SharedBoardSummary>(
  `select ${columns} from ${joined} where g.person_id = $1 and g.board_id = $2`,
  'person_id',
  'board_id',
)

// Over all workspaces, and only what is shared with that person: a guest belongs to none of them.
export const listShared = (ctx: SystemCtx, wanted: { person_id: number; after: string; limit: number }) =>
  ctx.overBrands().db.all(list, wanted)
export const findShared = (ctx: SystemCtx, person_id: number, board_id: string) =>
  ctx.overBrands().db.first(one, { person_id, board_id })
