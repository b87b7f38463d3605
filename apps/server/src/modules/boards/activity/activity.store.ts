import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface ActivityRow {
  readonly id: string
  readonly created_at: string
  readonly action: string
  readonly card_id: string | null
  readonly actor: Actor
  readonly data: Record<string, unknown>
}

interface NewEntry {
  readonly board_id: string
  readonly action: string
  readonly card_id: string | null
  readonly actor: string
  readonly data: string
}

// The board is locked by whoever writes, so times rise in the order of commits; one more microsecond where the
// clock has not moved or was set back (BRD-38).
const add = sqlStatement<NewEntry & { brand_id: number }, Pick<ActivityRow, 'id' | 'created_at'>>(
  `with stamp as (
     update boards.boards
     set last_activity_at = greatest(platform.clock_now(), last_activity_at + interval '1 microsecond')
     where brand_id = $1 and id = $2 returning last_activity_at
   )
   insert into boards.activity (brand_id, board_id, created_at, action, card_id, actor, data)
   select $1, $2, last_activity_at, $3, $4, $5::jsonb, $6::jsonb from stamp
   returning id::text as id, created_at`,
  'brand_id',
  'board_id',
  'action',
  'card_id',
  'actor',
  'data',
)

const columns = 'id::text as id, created_at, action, card_id, actor, data'
type Page = { brand_id: number; board_id: string; limit: number }
// Read before the entries, so that Postgres opens only the months that the page lies in: no entry is newer than the
// last stamp of its board.
const lastStamp = '(select b.last_activity_at from boards.boards b where b.brand_id = $1 and b.id = $2)'
const newest = sqlStatement<Page, ActivityRow>(
  `select ${columns} from boards.activity
   where brand_id = $1 and board_id = $2 and created_at <= ${lastStamp}
   order by created_at desc, activity.id desc limit $3`,
  'brand_id',
  'board_id',
  'limit',
)
// BRD-G15: the oldest after the cursor, so that a burst is read to its end; the caller turns them round.
const after = sqlStatement<Page & { created_at: string; id: string }, ActivityRow>(
  `select ${columns} from boards.activity
   where brand_id = $1 and board_id = $2 and (created_at, activity.id) > ($3::timestamptz, $4::bigint)
     and created_at >= $3::timestamptz and created_at <= ${lastStamp}
   order by created_at, activity.id limit $5`,
  'brand_id',
  'board_id',
  'created_at',
  'id',
  'limit',
)

const lost = sqlStatement<
  { brand_id: number; board_ids: readonly string[]; times: readonly string[] },
  { id: string }
>(
  `select b.id from unnest($2::uuid[], $3::timestamptz[]) as p (board_id, created_at)
   join boards.boards b on b.brand_id = $1 and b.id = p.board_id
   where p.created_at < platform.kept_since('boards.activity') and p.created_at < b.last_activity_at limit 1`,
  'brand_id',
  'board_ids',
  'times',
)
const roll = sqlStatement<{ keep: number }, unknown>('select boards.roll_activity($1)', 'keep')

/** Only under the lock of the board, and last in the transaction. */
export const insertActivity = (
  ctx: BrandTx,
  entry: { board_id: string; action: string; card_id: string | null; actor: Actor; data: object },
) =>
  ctx.db.first(add, {
    brand_id: ctx.brandId,
    board_id: entry.board_id,
    action: entry.action,
    card_id: entry.card_id,
    actor: JSON.stringify(entry.actor),
    data: JSON.stringify(entry.data),
  })
export const listNewestActivity = (ctx: BrandCtx, board_id: string, limit: number) =>
  ctx.db.all(newest, { brand_id: ctx.brandId, board_id, limit })
export const listActivityAfter = (
  ctx: BrandCtx,
  page: { board_id: string; created_at: string; id: string; limit: number },
) => ctx.db.all(after, { brand_id: ctx.brandId, ...page })
/** Whether entries behind one of these places have been dropped by age. Ask after reading: what was read was there. */
export const hasLostActivity = async (
  ctx: BrandCtx,
  places: readonly { readonly board_id: string; readonly created_at: string }[],
) => {
  const board_ids = places.map(({ board_id }) => board_id)
  const times = places.map(({ created_at }) => created_at)
  return (await ctx.db.first(lost, { brand_id: ctx.brandId, board_ids, times })) !== undefined
}
export const rollMonths = (ctx: SystemCtx, keep: number) => ctx.db.run(roll, { keep })
