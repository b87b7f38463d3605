import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

type Of = { board_id: string }
const find = brandStatement<Of, { id: string; name: string }>(
  (p) => sql`select k.id, k.name from boards.merge_moves m
   join boards.columns k on k.brand_id = m.brand_id and k.id = m.column_id
   where m.brand_id = ${p.brand_id} and m.board_id = ${p.board_id}`,
)
const put = brandStatement<Of & { column_id: string }, unknown>(
  (p) => sql`insert into boards.merge_moves (brand_id, board_id, column_id)
   values (${p.brand_id}, ${p.board_id}, ${p.column_id})
   on conflict (brand_id, board_id) do update set column_id = excluded.column_id`,
)
const remove = brandStatement<Of, unknown>(
  (p) => sql`delete from boards.merge_moves where brand_id = ${p.brand_id} and board_id = ${p.board_id}`,
)

export const findMergeMove = (ctx: BrandCtx, board_id: string) => ctx.db.first(find, { board_id })
export const upsertMergeMove = (ctx: BrandTx, board_id: string, column_id: string) =>
  ctx.db.run(put, { board_id, column_id })
export const deleteMergeMove = (ctx: BrandTx, board_id: string) => ctx.db.run(remove, { board_id })
