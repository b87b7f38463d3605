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

/** A place in a walk over a board: after this card of this column, with some columns read to their end before. */
export interface CardPlace {
  /** The beginnings of their ids. Not the rank of the last: a column that is moved up behind us is still to come. */
  readonly done: readonly string[]
  readonly column_id: string
  readonly card_rank: string
  readonly card_id: string
  /** Of the column when the card was read: with another one, its cards have other ranks. */
  readonly ranks_version: number | null
}

const least = '00000000-0000-0000-0000-000000000000'
/** Before all cards: no rank is empty. */
export const firstPlace: CardPlace = {
  done: [],
  column_id: least,
  card_rank: '',
  card_id: least,
  ranks_version: null,
}
/** Enough to distinguish 50 columns, and short enough to list all of them in a cursor. */
export const beginningOf = (column_id: string): string => column_id.slice(0, 8)

type Keys = CardPlace & { board_id: string; limit: number }
type Placed<Row> = Row & Pick<CardPlace, 'card_rank' | 'ranks_version'>

// Starts at its position in the index, however deep. Of the following columns it opens only as many as the page may
// need according to their counts; so it reads at most two pages of ids and one page of cards.
const walk = <Row>(fields: string, more = nothing) =>
  brandStatement<Keys, Placed<Row>>(
    (p) => sql`with k as (
       select id, name, rank, ranks_version, id = ${p.column_id}::uuid as is_first,
         coalesce(sum(card_count) filter (where id <> ${p.column_id}::uuid) over (
           order by id = ${p.column_id}::uuid desc, rank, id rows between unbounded preceding
             and 1 preceding), 0)::bigint as before
       from boards.columns
       where brand_id = ${p.brand_id} and board_id = ${p.board_id}
         and left(id::text, 8) <> all(${p.done}::text[])
     ), place as (
       select k.id as column_id, k.name, k.is_first, k.rank as column_rank, k.ranks_version, p.rank, p.id
       from k cross join lateral (
         select p.id, p.rank from boards.cards p
         where p.brand_id = ${p.brand_id} and p.board_id = ${p.board_id} and p.column_id = k.id
           and p.archived_at is null
           and (p.rank, p.id) > (case when k.is_first then coalesce((
             select r.rank from boards.cards r where r.brand_id = ${p.brand_id} and r.id = ${p.card_id}::uuid
               and r.column_id = k.id and k.ranks_version <> ${p.ranks_version}::int), ${p.card_rank}::text) else '' end,
             case when k.is_first then ${p.card_id}::uuid else '${least}' end)
         order by p.rank, p.id
         limit ${p.limit}::bigint - k.before
       ) p
       where k.before < ${p.limit}::bigint
       order by k.is_first desc, k.rank, k.id, p.rank, p.id
       limit ${p.limit}
     )
     select ${fields}, place.rank as card_rank, place.ranks_version
     from place
     cross join lateral (select place.name) k
     cross join lateral (select * from boards.cards c where c.brand_id = ${p.brand_id} and c.id = place.id
       limit 1) c ${more(p)}
     order by place.is_first desc, place.column_rank, place.column_id, place.rank, place.id`,
  )
const walks = {
  summary: walk<SummaryRow>(summaryFields),
  standard: walk<StandardRow>(standardFields),
  sized: walk<SizedRow>(sizedFields, textsOfPlace),
}

export interface CardWalk {
  readonly board_id: string
  readonly after: CardPlace
  readonly limit: number
}
const keysOf = ({ after, ...at }: CardWalk): Keys => ({ ...at, ...after })
export const listSummaryCardsAfter = (ctx: BrandCtx, at: CardWalk) => ctx.db.all(walks.summary, keysOf(at))
export const listStandardCardsAfter = (ctx: BrandCtx, at: CardWalk) => ctx.db.all(walks.standard, keysOf(at))
export const listSizedCardsAfter = (ctx: BrandCtx, at: CardWalk) => ctx.db.all(walks.sized, keysOf(at))
