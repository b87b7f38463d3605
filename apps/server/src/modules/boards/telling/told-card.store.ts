import type { Actor, Worker } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface ToldCardRow {
  readonly id: string
  readonly board_id: string
  readonly ref: string
  readonly title: string
  readonly assignee: Worker | null
  readonly reporter: Actor
}

const find = brandStatement<{ id: string }, ToldCardRow>(
  (p) => sql`select c.id, c.board_id, b.key || '-' || c.number as ref, c.title, c.assignee, c.reporter
   from boards.cards c join boards.boards b on b.brand_id = c.brand_id and b.id = c.board_id
   where c.brand_id = ${p.brand_id} and c.id = ${p.id}`,
)

export const findToldCard = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
