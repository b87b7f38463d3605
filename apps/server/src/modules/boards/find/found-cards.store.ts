import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import {
  nothing,
  type SizedRow,
  type StandardRow,
  type SummaryRow,
  sizedFields,
  standardFields,
  summaryFields,
  textsOfPlace,
} from '../card-data/cards.store.ts'

export interface OfBoard {
  readonly board_id: string
  readonly key: string
  readonly board: string
}

/** In the order of the ids. */
const some = <Row>(fields: string, more = nothing) =>
  brandStatement<{ ids: readonly string[] }, Row>(
    (p) => sql`select ${fields} from unnest(${p.ids}::uuid[]) with ordinality as place (id, at)
   cross join lateral (select * from boards.cards c where c.brand_id = ${p.brand_id} and c.id = place.id limit 1) c
   join boards.columns k on k.brand_id = ${p.brand_id} and k.id = c.column_id
   join boards.boards b on b.brand_id = ${p.brand_id} and b.id = c.board_id ${more(p)}
   order by place.at`,
  )
const summaries = some<SummaryRow & OfBoard>(`${summaryFields}, c.board_id, b.key, b.name as board`)
const standard = some<StandardRow>(standardFields)
const sized = some<SizedRow>(sizedFields, textsOfPlace)

export const listFoundSummaries = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(summaries, { ids })
export const listFoundStandard = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(standard, { ids })
export const listFoundSizes = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(sized, { ids })
