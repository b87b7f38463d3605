import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'
import {
  type FullRow,
  fullFields,
  type StandardRow,
  type SummaryRow,
  standardFields,
  summaryFields,
} from './cards.store.ts'

/** A place in a walk over a board: after this card of this column, with some columns read to their end before. */
export interface CardPlace {
  /** The beginnings of their ids. Not the rank of the last: a column that is moved up behind us is still to come. */
  readonly done: readonly string[]
  readonly column_id: string
  readonly card_rank: string
  readonly card_id: string
}

const least = '00000000-0000-0000-0000-000000000000'
/** Before all cards: no rank is empty. */
export const firstPlace: CardPlace = { done: [], column_id: least, card_rank: '', card_id: least }
/** Enough to tell 50 columns apart, and short enough to be told of all of them. */
export const beginningOf = (column_id: string): string => column_id.slice(0, 8)

type Keys = CardPlace & { brand_id: number; board_id: string; limit: number }
type Placed<Row> = Row & Pick<CardPlace, 'card_rank'>

// Begins at its place in the index, however deep that is. Of the columns that follow only as many are opened as
// the page may need, which their counts tell; so at most two pages of ids are read, and one page of cards.
const walk = <Row>(fields: string, more = '') =>
  sqlStatement<Keys, Placed<Row>>(
    `with k as (
       select id, name, rank, id = $4::uuid as is_first,
         coalesce(sum(card_count) filter (where id <> $4::uuid) over (
           order by id = $4::uuid desc, rank, id rows between unbounded preceding and 1 preceding), 0)::bigint as before
       from boards.columns
       where brand_id = $1 and board_id = $2 and left(id::text, 8) <> all($3::text[])
     ), place as (
       select k.id as column_id, k.name, k.is_first, k.rank as column_rank, p.rank, p.id
       from k cross join lateral (
         select p.id, p.rank from boards.cards p
         where p.brand_id = $1 and p.board_id = $2 and p.column_id = k.id and p.archived_at is null
           and (p.rank, p.id) > (case when k.is_first then $5::text else '' end,
             case when k.is_first then $6::uuid else '${least}' end)
         order by p.rank, p.id
         limit $7::bigint - k.before
       ) p
       where k.before < $7::bigint
       order by k.is_first desc, k.rank, k.id, p.rank, p.id
       limit $7
     )
     select ${fields}, place.rank as card_rank
     from place
     cross join lateral (select place.name) k
     cross join lateral (select * from boards.cards c where c.brand_id = $1 and c.id = place.id limit 1) c ${more}
     order by place.is_first desc, place.column_rank, place.column_id, place.rank, place.id`,
    'brand_id',
    'board_id',
    'done',
    'column_id',
    'card_rank',
    'card_id',
    'limit',
  )
const walks = {
  summary: walk<SummaryRow>(summaryFields),
  standard: walk<StandardRow>(standardFields),
  full: walk<FullRow>(
    fullFields,
    'cross join lateral (select * from boards.card_texts t where t.brand_id = $1 and t.card_id = place.id limit 1) t',
  ),
}

export interface CardWalk {
  readonly board_id: string
  readonly after: CardPlace
  readonly limit: number
}
const keysOf = (ctx: BrandCtx, { after, ...at }: CardWalk): Keys => ({
  brand_id: ctx.brandId,
  ...at,
  ...after,
})
export const listSummaryCardsAfter = (ctx: BrandCtx, at: CardWalk) =>
  ctx.db.all(walks.summary, keysOf(ctx, at))
export const listStandardCardsAfter = (ctx: BrandCtx, at: CardWalk) =>
  ctx.db.all(walks.standard, keysOf(ctx, at))
export const listFullCardsAfter = (ctx: BrandCtx, at: CardWalk) => ctx.db.all(walks.full, keysOf(ctx, at))
