import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

interface PlacedCard {
  readonly id: string
  readonly board_id: string
}

// A card stays on its board, so this holds without a lock.
const places = brandStatement<{ ids: readonly string[] }, PlacedCard>(
  (p) => sql`select id, board_id from boards.cards where brand_id = ${p.brand_id}
     and id = any(${p.ids}::uuid[])`,
)

export const listBoardsOfCards = (ctx: BrandTx, ids: readonly string[]) => ctx.db.all(places, { ids })
