import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export type StoredKind = 'blocks' | 'parent' | 'relates' | 'duplicates'

export interface RelationRow {
  readonly kind: StoredKind
  /** Whether the card is the first of the two, such as the one that blocks. */
  readonly is_first: boolean
  readonly id: string
  readonly board_id: string
  readonly key: string
  readonly number: number
  readonly title: string
  readonly status: string
}

// At most 200 for a card, so there is nothing to page.
const list = sqlStatement<{ brand_id: number; card_id: string }, RelationRow>(
  `select r.kind, r.is_first, c.id, c.board_id, b.key, c.number, c.title, c.status
   from (
     select kind, true as is_first, other_id as id, created_at from boards.relations
     where brand_id = $1 and card_id = $2
     union all
     select kind, false, card_id, created_at from boards.relations where brand_id = $1 and other_id = $2
   ) r
   join boards.cards c on c.brand_id = $1 and c.id = r.id
   join boards.boards b on b.brand_id = $1 and b.id = c.board_id
   order by r.kind, r.is_first, r.created_at, c.id`,
  'brand_id',
  'card_id',
)
// Two that close a circle together would each see an open one: relations of a workspace are made one at a time.
const lock = sqlStatement<{ brand_id: number }, unknown>(
  `select pg_advisory_xact_lock(hashtext('boards.relations'), $1)`,
  'brand_id',
)
type Pair = { brand_id: number; card_id: string; kind: StoredKind; other_id: string }
const add = sqlStatement<Pair, unknown>(
  `insert into boards.relations (brand_id, card_id, kind, other_id) values ($1, $2, $3, $4)
   on conflict on constraint relations_pkey do nothing`,
  'brand_id',
  'card_id',
  'kind',
  'other_id',
)
const remove = sqlStatement<Pair, unknown>(
  'delete from boards.relations where brand_id = $1 and card_id = $2 and kind = $3 and other_id = $4',
  'brand_id',
  'card_id',
  'kind',
  'other_id',
)
// Whether one comes to `card_id` by going on from `other_id`; then the new relation would close a circle.
const reaches = sqlStatement<Pair, { found: boolean }>(
  `with recursive way as (
     select $4::uuid as id
     union
     select r.other_id from boards.relations r join way on way.id = r.card_id
     where r.brand_id = $1 and r.kind = $3
   )
   select exists (select 1 from way where id = $2) as found`,
  'brand_id',
  'card_id',
  'kind',
  'other_id',
)
const parentOf = sqlStatement<{ brand_id: number; card_id: string }, { card_id: string }>(
  `select card_id from boards.relations where brand_id = $1 and other_id = $2 and kind = 'parent' limit 1`,
  'brand_id',
  'card_id',
)
// What lists show of relations stands on the cards themselves.
const recount = sqlStatement<{ brand_id: number; ids: readonly string[] }, unknown>(
  `update boards.cards c set
     blocked_by = coalesce((select array_agg(r.card_id order by r.created_at, r.card_id) from boards.relations r
       where r.brand_id = $1 and r.other_id = c.id and r.kind = 'blocks'), '{}'),
     blocks_count = (select count(*) from boards.relations r
       where r.brand_id = $1 and r.card_id = c.id and r.kind = 'blocks'),
     children_count = (select count(*) from boards.relations r
       where r.brand_id = $1 and r.card_id = c.id and r.kind = 'parent'),
     parent_id = (select r.card_id from boards.relations r
       where r.brand_id = $1 and r.other_id = c.id and r.kind = 'parent')
   where c.brand_id = $1 and c.id = any($2::uuid[])`,
  'brand_id',
  'ids',
)

export const listRelations = (ctx: BrandCtx, card_id: string) =>
  ctx.db.all(list, { brand_id: ctx.brandId, card_id })
export const lockRelations = (ctx: BrandTx) => ctx.db.run(lock, { brand_id: ctx.brandId })
export const insertRelation = (ctx: BrandTx, pair: Omit<Pair, 'brand_id'>) =>
  ctx.db.run(add, { brand_id: ctx.brandId, ...pair })
export const deleteRelation = (ctx: BrandTx, pair: Omit<Pair, 'brand_id'>) =>
  ctx.db.run(remove, { brand_id: ctx.brandId, ...pair })
export const wouldCircle = async (ctx: BrandTx, pair: Omit<Pair, 'brand_id'>) =>
  (await ctx.db.first(reaches, { brand_id: ctx.brandId, ...pair }))?.found === true
export const findParentOf = async (ctx: BrandTx, card_id: string) =>
  (await ctx.db.first(parentOf, { brand_id: ctx.brandId, card_id }))?.card_id
export const updateRelationCounts = (ctx: BrandTx, ids: readonly string[]) =>
  ctx.db.run(recount, { brand_id: ctx.brandId, ids })
