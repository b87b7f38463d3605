import type { CardStatus, FullCard, Worker } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

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
type Keys = MasterFilter & { brand_id: number }
const keys = ['brand_id', 'board_ids', 'board_type', 'name_keys', 'status', 'has_pr', 'since'] as const

// The status of a card is that of its column, so it narrows columns, of which there are few.
const columns = `boards.columns k
  join boards.boards b on b.brand_id = k.brand_id and b.id = k.board_id`
const columnFilter = `k.brand_id = $1 and b.archived_at is null and k.card_count > 0
    and ($2::uuid[] is null or k.board_id = any($2))
    and ($3::text is null or b.board_type = $3)
    and ($4::text[] is null or k.name_key = any($4))
    and ($5::text is null or k.status = $5)`
const cardsOf = (fields: string, more = '') => `cross join lateral (
    select ${fields} from boards.cards c
    where c.brand_id = $1 and c.column_id = k.id and c.archived_at is null
      and ($6::boolean is null or (c.pr_number is not null) = $6)
      and c.updated_at >= coalesce($7::timestamptz, '-infinity')
    ${more}
  )`
const newestFirst = 'order by c.updated_at desc, c.id desc'
const places = 'b.key, b.name as board, k.id as column_id, k.name as column_name'
const shown = 'c.id, c.number, c.title, c.status, c.assignee, c.branch, c.pr_number, c.pr_state'

// Where all are wanted, each is read once.
const list = sqlStatement<Keys & { most: number }, MasterRow>(
  `select ${places}, ${shown}
   from ${columns}
   ${cardsOf(`${shown}, c.updated_at`, `${newestFirst} limit $8::bigint`)} c
   where ${columnFilter}
   ${newestFirst} limit $8`,
  ...keys,
  'most',
)
// For a page, the newest of each column are merged: of each as many as the page can hold, and only ids, from the
// index. The cards of the page are then read by key.
const page = sqlStatement<Keys & { most: number; limit: number; offset: number }, MasterRow>(
  `with place as (
     select ${places}, c.id, c.updated_at
     from ${columns}
     ${cardsOf('c.id, c.updated_at', `${newestFirst} limit $8::bigint`)} c
     where ${columnFilter}
     ${newestFirst} limit $9 offset $10
   )
   select place.key, place.board, place.column_id, place.column_name, ${shown}
   from place
   cross join lateral (select * from boards.cards c where c.brand_id = $1 and c.id = place.id limit 1) c
   order by place.updated_at desc, place.id desc`,
  ...keys,
  'most',
  'limit',
  'offset',
)
const count = sqlStatement<Keys, { count: number }>(
  `select coalesce(sum(c.found), 0)::int as count from ${columns}
   ${cardsOf('count(*) as found')} c
   where ${columnFilter}`,
  ...keys,
)
// Without a filter on cards the columns know.
const countByColumns = sqlStatement<Keys, { count: number }>(
  `select coalesce(sum(k.card_count), 0)::int as count from ${columns} where ${columnFilter}`,
  'brand_id',
  'board_ids',
  'board_type',
  'name_keys',
  'status',
)

export const listAllMasterCards = (ctx: BrandCtx, filter: MasterFilter, most: number) =>
  ctx.db.all(list, { brand_id: ctx.brandId, ...filter, most })
export const listMasterCards = (
  ctx: BrandCtx,
  filter: MasterFilter,
  { limit, offset }: { limit: number; offset: number },
) => ctx.db.all(page, { brand_id: ctx.brandId, ...filter, most: offset + limit, limit, offset })
export const countMasterCards = async (ctx: BrandCtx, filter: MasterFilter) => {
  const isOfCards = filter.has_pr !== null || filter.since !== null
  const found = await ctx.db.first(isOfCards ? count : countByColumns, { brand_id: ctx.brandId, ...filter })
  return found?.count ?? 0
}
