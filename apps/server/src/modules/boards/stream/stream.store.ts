import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { ActivityRow } from '../writes/activity.store.ts'

export interface BoardPlace {
  readonly board_id: string
  /** Of the newest entry, or where it was before it was dropped by age. */
  readonly created_at: string
  readonly id: string
}

export type StreamRow = ActivityRow & { readonly board_id: string }

const places = brandStatement<{ ids: readonly string[] }, BoardPlace>(
  (p) => sql`select b.id as board_id, b.last_activity_at as created_at, coalesce(a.id, 0)::text as id
   from boards.boards b
   left join lateral (
     select a.id from boards.activity a
     where a.brand_id = ${p.brand_id} and a.board_id = b.id and a.created_at = b.last_activity_at
     order by a.id desc limit 1
   ) a on true
   where b.brand_id = ${p.brand_id} and b.id = any(${p.ids}::uuid[])`,
)

interface After {
  readonly board_ids: readonly string[]
  readonly created_ats: readonly string[]
  readonly ids: readonly string[]
  readonly limit: number
}
// The oldest of each board, merged: what is cut off the end is later on its board than all that is kept. The times of
// the place and of the last stamp say which months to open.
const after = brandStatement<After, StreamRow>(
  (p) => sql`select p.board_id, a.id::text as id, a.created_at, a.action, a.card_id, a.actor, a.data, a.told
   from unnest(${p.board_ids}::uuid[], ${p.created_ats}::timestamptz[], ${p.ids}::bigint[]) as p (board_id,
     created_at, id)
   join boards.boards b on b.brand_id = ${p.brand_id} and b.id = p.board_id
   cross join lateral (
     select a.id, a.created_at, a.action, a.card_id, a.actor, a.data, a.told from boards.activity a
     where a.brand_id = ${p.brand_id} and a.board_id = p.board_id
       and (a.created_at, a.id) > (p.created_at, p.id)
       and a.created_at >= p.created_at and a.created_at <= b.last_activity_at
     order by a.created_at, a.id limit ${p.limit}
   ) a
   order by a.created_at, a.id limit ${p.limit}`,
)

const changes = brandStatement<{ ids: readonly string[] }, { board_id: string; last_activity_at: string }>(
  (p) => sql`select id as board_id, last_activity_at from boards.boards where brand_id = ${p.brand_id}
     and id = any(${p.ids}::uuid[])`,
)

/** The boards among these that the workspace has, and where their feeds end now. */
export const listBoardPlaces = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(places, { ids })
export const listEntriesAfter = (ctx: BrandCtx, page: After) => ctx.db.all(after, { ...page })
export const listLastActivity = (ctx: BrandCtx, ids: readonly string[]) => ctx.db.all(changes, { ids })
