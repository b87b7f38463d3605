import type { CardStatus, FullCard, Worker } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'

export interface MasterRow {
  readonly id: string
  readonly key: string
  readonly number: number
  readonly board: string
  readonly column_id: string
  readonly column_name: string
  readonly title: string
  readonly status: CardStatus
  readonly assignee: Worker | null
  readonly branch: string | null
  readonly pr_number: number | null
  readonly pr_state: FullCard['pr_state']
}

export interface MasterFilter {
  readonly board_ids: readonly string[] | null
  readonly board_type: string | null
  readonly name_keys: readonly string[] | null
  readonly status: string | null
  readonly has_pr: boolean | null
  readonly since: string | null
}
type Filtered = Named<MasterFilter & { brand_id: number }>

// The status of a card is that of its column, so it narrows columns, of which there are few.
const columns = `boards.columns k
  join boards.boards b on b.brand_id = k.brand_id and b.id = k.board_id`
const columnFilter = (
  p: Filtered,
) => sql`k.brand_id = ${p.brand_id} and b.archived_at is null and k.card_count > 0
    and (${p.board_ids}::uuid[] is null or k.board_id = any(${p.board_ids}))
    and (${p.board_type}::text is null or b.board_type = ${p.board_type})
    and (${p.name_keys}::text[] is null or k.name_key = any(${p.name_keys}))
    and (${p.status}::text is null or k.status = ${p.status})`
const cardsOf = (p: Filtered, fields: string, more = sql``) => sql`cross join lateral (
    select ${fields} from boards.cards c
    where c.brand_id = ${p.brand_id} and c.column_id = k.id and c.archived_at is null
      and (${p.has_pr}::boolean is null or (c.pr_number is not null) = ${p.has_pr})
      and c.updated_at >= coalesce(${p.since}::timestamptz, '-infinity')
    ${more}
  )`
const newestFirst = 'order by c.updated_at desc, c.id desc'
const places = 'b.key, b.name as board, k.id as column_id, k.name as column_name'
const shown = 'c.id, c.number, c.title, c.status, c.assignee, c.branch, c.pr_number, c.pr_state'

// Where all are wanted, each is read once.
const list = brandStatement<MasterFilter & { most: number }, MasterRow>(
  (p) => sql`select ${places}, ${shown}
   from ${columns}
   ${cardsOf(p, `${shown}, c.updated_at`, sql`${newestFirst} limit ${p.most}::bigint`)} c
   where ${columnFilter(p)}
   ${newestFirst} limit ${p.most}`,
)
// For a page, the newest of each column are merged: of each as many as the page can hold, and only ids, from the
// index. The cards of the page are then read by key.
const page = brandStatement<MasterFilter & { most: number; limit: number; offset: number }, MasterRow>(
  (p) => sql`with place as (
     select ${places}, c.id, c.updated_at
     from ${columns}
     ${cardsOf(p, 'c.id, c.updated_at', sql`${newestFirst} limit ${p.most}::bigint`)} c
     where ${columnFilter(p)}
     ${newestFirst} limit ${p.limit} offset ${p.offset}
   )
   select place.key, place.board, place.column_id, place.column_name, ${shown}
   from place
   cross join lateral (select * from boards.cards c where c.brand_id = ${p.brand_id} and c.id = place.id limit 1) c
   order by place.updated_at desc, place.id desc`,
)
const count = brandStatement<MasterFilter, { count: number }>(
  (p) => sql`select coalesce(sum(c.found), 0)::int as count from ${columns}
   ${cardsOf(p, 'count(*) as found')} c
   where ${columnFilter(p)}`,
)
// Without a filter on cards the columns know.
const countByColumns = brandStatement<MasterFilter, { count: number }>(
  (p) => sql`select coalesce(sum(k.card_count), 0)::int as count from ${columns} where ${columnFilter(p)}`,
)

export const listAllMasterCards = (ctx: BrandCtx, filter: MasterFilter, most: number) =>
  ctx.db.all(list, { ...filter, most })
export const listMasterCards = (
  ctx: BrandCtx,
  filter: MasterFilter,
  { limit, offset }: { limit: number; offset: number },
) => ctx.db.all(page, { ...filter, most: offset + limit, limit, offset })
export const countMasterCards = async (ctx: BrandCtx, filter: MasterFilter) => {
  const isOfCards = filter.has_pr !== null || filter.since !== null
  const found = await ctx.db.first(isOfCards ? count : countByColumns, filter)
  return found?.count ?? 0
}
