import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

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
  readonly source: FullCard['source']
}

// At most 200 for a card, so there is nothing to page.
const list = brandStatement<{ card_id: string }, RelationRow>(
  (p) => sql`select r.kind, r.is_first, c.id, c.board_id, b.key, c.number, c.title, c.status, c.source
   from (
     select kind, true as is_first, other_id as id, created_at from boards.relations
     where brand_id = ${p.brand_id} and card_id = ${p.card_id}
     union all
     select kind, false, card_id, created_at from boards.relations where brand_id = ${p.brand_id}
       and other_id = ${p.card_id}
   ) r
   join boards.cards c on c.brand_id = ${p.brand_id} and c.id = r.id
   join boards.boards b on b.brand_id = ${p.brand_id} and b.id = c.board_id
   order by r.kind, r.is_first, r.created_at, c.id`,
)
// Two that close a circle together would each see an open one: relations of a workspace are made one at a time.
const lock = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('boards.relations'), ${p.brand_id})`,
)
type Pair = { card_id: string; kind: StoredKind; other_id: string }
const add = brandStatement<Pair, unknown>(
  (p) => sql`insert into boards.relations (brand_id, card_id, kind, other_id)
     values (${p.brand_id}, ${p.card_id}, ${p.kind}, ${p.other_id})
   on conflict on constraint relations_pkey do nothing`,
)
const remove = brandStatement<Pair, unknown>(
  (p) => sql`delete from boards.relations where brand_id = ${p.brand_id} and card_id = ${p.card_id}
     and kind = ${p.kind} and other_id = ${p.other_id}`,
)
// Whether one comes to `card_id` by going on from `other_id`; then the new relation would close a circle.
const reaches = brandStatement<Pair, { found: boolean }>(
  (p) => sql`with recursive way as (
     select ${p.other_id}::uuid as id
     union
     select r.other_id from boards.relations r join way on way.id = r.card_id
     where r.brand_id = ${p.brand_id} and r.kind = ${p.kind}
   )
   select exists (select 1 from way where id = ${p.card_id}) as found`,
)
const parentOf = brandStatement<{ card_id: string }, { card_id: string }>(
  (p) => sql`select card_id from boards.relations where brand_id = ${p.brand_id} and other_id = ${p.card_id}
     and kind = 'parent' limit 1`,
)
// What lists show of relations is stored on the cards.
const recount = brandStatement<{ ids: readonly string[] }, unknown>(
  (p) => sql`update boards.cards c set
     blocked_by = coalesce((select array_agg(r.card_id order by r.created_at, r.card_id) from boards.relations r
       where r.brand_id = ${p.brand_id} and r.other_id = c.id and r.kind = 'blocks'), '{}'),
     blocks_count = (select count(*) from boards.relations r
       where r.brand_id = ${p.brand_id} and r.card_id = c.id and r.kind = 'blocks'),
     children_count = (select count(*) from boards.relations r
       where r.brand_id = ${p.brand_id} and r.card_id = c.id and r.kind = 'parent'),
     parent_id = (select r.card_id from boards.relations r
       where r.brand_id = ${p.brand_id} and r.other_id = c.id and r.kind = 'parent')
   where c.brand_id = ${p.brand_id} and c.id = any(${p.ids}::uuid[])`,
)

export const listRelations = (ctx: BrandCtx, card_id: string) => ctx.db.all(list, { card_id })
export const lockRelations = (ctx: BrandTx) => ctx.db.run(lock, {})
export const insertRelation = (ctx: BrandTx, pair: Omit<Pair, 'brand_id'>) => ctx.db.run(add, { ...pair })
export const deleteRelation = (ctx: BrandTx, pair: Omit<Pair, 'brand_id'>) => ctx.db.run(remove, { ...pair })
export const wouldCircle = async (ctx: BrandTx, pair: Omit<Pair, 'brand_id'>) =>
  (await ctx.db.first(reaches, { ...pair }))?.found === true
export const findParentOf = async (ctx: BrandTx, card_id: string) =>
  (await ctx.db.first(parentOf, { card_id }))?.card_id
export const updateRelationCounts = (ctx: BrandTx, ids: readonly string[]) => ctx.db.run(recount, { ids })
