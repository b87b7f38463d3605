import type { ResetReason } from '@crewhall/contracts/boards/stream.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql, statement } from '#platform/db/statement.ts'
import type { StreamRow } from './stream.store.ts'
import type { After, Look } from './workspace-place.rules.ts'

const look = statement<object, Look>(
  () => sql`select pg_current_snapshot()::text as snapshot, platform.clock_now() as at`,
)

interface Params {
  readonly from: string
  readonly upto: string
  readonly from_at: string
  readonly created_at: string
  readonly id: string
  readonly limit: number
}

const columns = 'a.board_id, a.id::text as id, a.created_at, a.action, a.card_id, a.actor, a.data, a.told'
const fields = 'a.board_id, a.id, a.created_at, a.action, a.card_id, a.actor, a.data, a.told'

// No entry that a look could not see yet was stamped a day before it: the times only say which months to open.
const isNew = (p: Named<Params>) => sql`not pg_visible_in_snapshot(a.written_in, ${p.from}::pg_snapshot)
  and pg_visible_in_snapshot(a.written_in, ${p.upto}::pg_snapshot)
  and a.created_at >= ${p.from_at}::timestamptz - interval '1 day'
  and (a.created_at, a.id) > (${p.created_at}::timestamptz, ${p.id}::bigint)
  and a.created_at >= ${p.created_at}::timestamptz`

/** More than this are not sorted at once. */
const window = 2000

const inWindow = brandStatement<Params, StreamRow & { found: number }>(
  (p) => sql`with w as materialized (
     select ${fields} from boards.activity a
     where a.brand_id = ${p.brand_id} and a.written_in >= pg_snapshot_xmin(${p.from}::pg_snapshot)
       and a.written_in < pg_snapshot_xmax(${p.upto}::pg_snapshot) and ${isNew(p)}
     limit ${String(window + 1)})
   select ${columns}, (select count(*)::int from w) as found from w a order by a.created_at, a.id limit ${p.limit}`,
)

// The oldest of each board, merged, as for a list of boards.
const byBoard = brandStatement<Params, StreamRow>(
  (p) => sql`select ${columns} from boards.boards b
   cross join lateral (
     select ${fields} from boards.activity a
     where a.brand_id = ${p.brand_id} and a.board_id = b.id and ${isNew(p)} and a.created_at <= b.last_activity_at
     order by a.created_at, a.id limit ${p.limit}
   ) a
   where b.brand_id = ${p.brand_id} and b.last_activity_at >= ${p.from_at}::timestamptz - interval '1 day'
     and b.last_activity_at >= ${p.created_at}::timestamptz
   order by a.created_at, a.id limit ${p.limit}`,
)

const trouble = statement<{ snapshot: string; at: string }, { reason: ResetReason }>(
  (p) => sql`select 'unknown_cursor' as reason
     where pg_snapshot_xmax(${p.snapshot}::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())
   union all select 'expired_cursor'
     where ${p.at}::timestamptz < greatest(platform.kept_since('boards.activity'),
       platform.kept_since('platform.workspace_events'))
   limit 1`,
)

const news = brandStatement<object, { sign: string }>(
  (p) => sql`select concat_ws(' ', count(*), sum(extract(epoch from last_activity_at))) as sign
   from boards.boards where brand_id = ${p.brand_id}`,
)

export interface Window {
  readonly from: Look
  readonly upto: Look
  readonly after: After
  readonly limit: number
}

const paramsOf = ({ from, upto, after, limit }: Window): Params => ({
  from: from.snapshot,
  upto: upto.snapshot,
  from_at: from.at,
  ...after,
  limit,
})

/** What can be seen now. */
export async function takeLook(ctx: BrandCtx): Promise<Look> {
  const found = await ctx.db.first(look, {})
  if (!found) throw new Error('there is always something to see')
  return found
}

/** What the later look could see and the earlier could not; not whole when that is too much to be sorted. */
export async function listWindow(
  ctx: BrandCtx,
  given: Window,
): Promise<{ rows: StreamRow[]; is_whole: boolean }> {
  const rows = await ctx.db.all(inWindow, paramsOf(given))
  return { rows, is_whole: (rows[0]?.found ?? 0) <= window }
}
export const listWindowByBoard = (ctx: BrandCtx, given: Window) => ctx.db.all(byBoard, paramsOf(given))

/** Why a stream cannot continue: the database was recreated, or what followed was dropped by age. */
export const findTrouble = async (ctx: BrandCtx, { snapshot, at }: Look): Promise<ResetReason | undefined> =>
  (await ctx.db.first(trouble, { snapshot, at }))?.reason

/** Changes whenever something happens on a board of the workspace. */
export const findSign = async (ctx: BrandCtx): Promise<string> => (await ctx.db.first(news, {}))?.sign ?? ''
