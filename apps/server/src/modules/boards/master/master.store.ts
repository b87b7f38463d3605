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
const columns = `from boards.columns k
  join boards.boards b on b.brand_id = k.brand_id and b.id = k.board_id
  cross join lateral (
    select c.id, c.number, c.title, c.status, c.assignee, c.branch, c.pr_number, c.pr_state, c.updated_at
    from boards.cards c
    where c.brand_id = $1 and c.column_id = k.id and c.archived_at is null
      and ($6::boolean is null or (c.pr_number is not null) = $6)
      and ($7::timestamptz is null or c.updated_at >= $7)
    order by c.updated_at desc, c.id desc
    limit $8::bigint
  ) c
  where k.brand_id = $1 and b.archived_at is null and k.card_count > 0
    and ($2::uuid[] is null or k.board_id = any($2))
    and ($3::text is null or b.board_type = $3)
    and ($4::text[] is null or k.name_key = any($4))
    and ($5::text is null or k.status = $5)`

// The newest of each column, merged: only as many of each are read as the answer can hold.
const list = sqlStatement<Keys & { most: number; limit: number; offset: number }, MasterRow>(
  `select c.id, b.key, c.number, b.name as board, k.id as column_id, k.name as column_name, c.title, c.status,
     c.assignee, c.branch, c.pr_number, c.pr_state
   ${columns}
   order by c.updated_at desc, c.id desc limit $9 offset $10`,
  ...keys,
  'most',
  'limit',
  'offset',
)
const count = sqlStatement<Keys & { most: number }, { count: number }>(
  `select count(*)::int as count ${columns}`,
  ...keys,
  'most',
)
const own = sqlStatement<{ brand_id: number; ids: readonly string[] }, { count: number }>(
  'select count(*)::int as count from boards.boards where brand_id = $1 and id = any($2::uuid[])',
  'brand_id',
  'ids',
)

export const countOwnBoards = async (ctx: BrandCtx, ids: readonly string[]) =>
  (await ctx.db.first(own, { brand_id: ctx.brandId, ids }))?.count ?? 0
/** `most` bounds what is read of each column. */
export const listMasterCards = (
  ctx: BrandCtx,
  filter: MasterFilter,
  page: { most: number; limit: number; offset: number },
) => ctx.db.all(list, { brand_id: ctx.brandId, ...filter, ...page })
export const countMasterCards = async (ctx: BrandCtx, filter: MasterFilter) =>
  (await ctx.db.first(count, { brand_id: ctx.brandId, ...filter, most: Number.MAX_SAFE_INTEGER }))?.count ?? 0
