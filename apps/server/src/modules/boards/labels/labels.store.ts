import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface LabelRow {
  readonly id: string
  readonly board_id: string
  readonly name: string
  readonly color: string | null
  readonly card_count: number
  readonly is_kept: boolean
  /** Its cards lose it, or get the other one instead; nobody sees it any more. */
  readonly is_leaving: boolean
  readonly moving_to: string | null
  readonly created_at: string
}
export interface ShownLabel extends LabelRow {
  /** Of labels that move to this one. */
  readonly cards_changing: number
}

type One = { id: string }
type Named = { board_id: string; name: string }
const columns = 'id, board_id, name, color, card_count, is_kept, is_leaving, moving_to, created_at'

const list = brandStatement<{ board_id: string; limit: number; offset: number }, ShownLabel>(
  (p) => sql`select ${columns}, coalesce((select sum(m.card_count) from boards.labels m
       where m.brand_id = ${p.brand_id} and m.moving_to = l.id), 0)::int as cards_changing
   from boards.labels l where brand_id = ${p.brand_id} and board_id = ${p.board_id} and not is_leaving
   order by name limit ${p.limit} offset ${p.offset}`,
)
const count = brandStatement<{ board_id: string }, { total: number; kept: number }>(
  (p) => sql`select count(*)::int as total, (count(*) filter (where is_kept))::int as kept
   from boards.labels where brand_id = ${p.brand_id} and board_id = ${p.board_id} and not is_leaving`,
)
const find = brandStatement<One, ShownLabel>(
  (p) => sql`select ${columns}, coalesce((select sum(m.card_count) from boards.labels m
       where m.brand_id = ${p.brand_id} and m.moving_to = l.id), 0)::int as cards_changing
   from boards.labels l where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const named = brandStatement<Named, LabelRow>(
  (p) => sql`select ${columns} from boards.labels
   where brand_id = ${p.brand_id} and board_id = ${p.board_id} and name = ${p.name}`,
)
// A name that cards have already is kept from now on.
const keep = brandStatement<Named & { color: string | null }, One>(
  (p) => sql`insert into boards.labels (brand_id, board_id, name, color, is_kept)
   values (${p.brand_id}, ${p.board_id}, ${p.name}, ${p.color}, true)
   on conflict (brand_id, board_id, name) do update set color = excluded.color, is_kept = true returning id`,
)
const recolor = brandStatement<One & { color: string | null }, unknown>(
  (p) => sql`update boards.labels set color = ${p.color}, is_kept = true
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
// The label keeps its id; the name that cards still have becomes a row that is leaving.
const rename = brandStatement<One & { name: string }, unknown>(
  (p) => sql`update boards.labels set name = ${p.name}, card_count = 0, is_kept = true
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const addLeaving = brandStatement<Named & { card_count: number; moving_to: string }, LabelRow>(
  (p) => sql`insert into boards.labels (brand_id, board_id, name, card_count, is_leaving, moving_to)
   values (${p.brand_id}, ${p.board_id}, ${p.name}, ${p.card_count}, true, ${p.moving_to})
   returning ${columns}`,
)
// Those that were on their way to it go on to where it goes.
const leave = brandStatement<One & { moving_to: string | null }, unknown>(
  (p) => sql`update boards.labels set is_leaving = true, moving_to = ${p.moving_to}::uuid
   where brand_id = ${p.brand_id} and (id = ${p.id} or moving_to = ${p.id})`,
)
const remove = brandStatement<One, unknown>(
  (p) => sql`delete from boards.labels where brand_id = ${p.brand_id} and id = ${p.id}`,
)

// Archived ones as well, by the marks of search: those that were changed are no longer found.
const labelled = brandStatement<{ marks: string; limit: number }, { card_id: string }>(
  (p) => sql`select s.card_id from boards.search_texts s
   where s.brand_id = ${p.brand_id} and s.comment_id is null and s.words @@ ${p.marks}::tsquery limit ${p.limit}`,
  { custom_plan: true },
)
const relabel = brandStatement<
  { ids: readonly string[]; from: string; to: string | null; updated_by: string },
  unknown
>(
  (p) => sql`update boards.cards c set labels = case when ${p.to}::text is null or ${p.to} = any(c.labels)
       then array_remove(c.labels, ${p.from}) else array_replace(c.labels, ${p.from}, ${p.to}) end,
     version = c.version + 1, updated_at = t.now, updated_by = ${p.updated_by}::jsonb
   from (select platform.clock_now() as now) t
   where c.brand_id = ${p.brand_id} and c.id = any(${p.ids}::uuid[])`,
)

export const listLabels = (ctx: BrandCtx, at: { board_id: string; limit: number; offset: number }) =>
  ctx.db.all(list, at)
export const countLabels = async (ctx: BrandCtx, board_id: string) =>
  (await ctx.db.first(count, { board_id })) ?? { total: 0, kept: 0 }
export const findLabel = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const findLabelNamed = (ctx: BrandCtx, board_id: string, name: string) =>
  ctx.db.first(named, { board_id, name })
/** Only under the lock of the board, as all that follow. */
export const insertLabel = async (ctx: BrandTx, label: Named & { color: string | null }) =>
  (await ctx.db.first(keep, label))?.id
export const updateColor = (ctx: BrandTx, id: string, color: string | null) =>
  ctx.db.run(recolor, { id, color })
/** Returns the row of the old name. */
export async function updateName(ctx: BrandTx, { id, board_id, name, card_count }: LabelRow, after: string) {
  await ctx.db.run(rename, { id, name: after })
  return ctx.db.first(addLeaving, { board_id, name, card_count, moving_to: id })
}
export const updateLeaving = (ctx: BrandTx, id: string, moving_to: string | null) =>
  ctx.db.run(leave, { id, moving_to })
export const deleteLabel = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })
/** By a search query for the marks of the label and its board. */
export const listLabelled = async (ctx: BrandTx, marks: string, limit: number) =>
  (await ctx.db.all(labelled, { marks, limit })).map(({ card_id }) => card_id)
export const updateLabelled = (
  ctx: BrandTx,
  change: { ids: readonly string[]; from: string; to: string | null; by: Actor },
) => {
  const { by, ...rest } = change
  return ctx.db.run(relabel, { ...rest, updated_by: JSON.stringify(by) })
}
