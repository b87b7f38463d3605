import type { ToldChanges } from '@crewhall/contracts/boards/activity.ts'
import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql, statement } from '#platform/db/statement.ts'

export interface ActivityRow {
  readonly id: string
  readonly created_at: string
  readonly action: string
  readonly card_id: string | null
  readonly actor: Actor
  readonly data: Record<string, unknown>
  readonly told: Told | null
}

/** What a follower would otherwise have to read. */
export interface Told {
  readonly ref?: string
  readonly title?: string
  readonly changes?: ToldChanges
  readonly mentions?: string[]
}

interface NewEntry {
  readonly board_id: string
  readonly action: string
  readonly card_id: string | null
  readonly actor: string
  readonly data: string
  readonly told: string
}

// Every writer locks the board, so times increase in commit order; by one microsecond where the clock has not moved or
// was set back (BRD-38).
// The name of the card is read here, after what this transaction did to it, so that no writer has to know it.
const add = brandStatement<NewEntry, Pick<ActivityRow, 'id' | 'created_at' | 'told'>>(
  (p) => sql`with stamp as (
     update boards.boards
     set last_activity_at = greatest(platform.clock_now(), last_activity_at + interval '1 microsecond')
     where brand_id = ${p.brand_id} and id = ${p.board_id} returning last_activity_at, key
   )
   insert into boards.activity (brand_id, board_id, created_at, action, card_id, actor, data, told)
   select ${p.brand_id}, ${p.board_id}, last_activity_at, ${p.action},
     ${p.card_id}, ${p.actor}::jsonb, ${p.data}::jsonb,
     (select jsonb_build_object('ref', key || '-' || c.number, 'title', c.title) || ${p.told}::jsonb
       from boards.cards c where c.brand_id = ${p.brand_id} and c.id = ${p.card_id})
   from stamp
   returning id::text as id, created_at, told`,
)

// Their places were taken when the board was locked.
const addStamped = brandStatement<{ entries: string }, unknown>(
  (
    p,
  ) => sql`insert into boards.activity (brand_id, board_id, created_at, action, card_id, actor, data, told, id)
   overriding system value
   select ${p.brand_id}::int, board_id, created_at, action, card_id, actor, data, told, id
   from json_to_recordset(${p.entries}::json) as e (board_id uuid, created_at timestamptz, action text, card_id uuid,
     actor jsonb, data jsonb, told jsonb, id bigint)`,
)

const columns = 'id::text as id, created_at, action, card_id, actor, data, told'
interface Page {
  readonly board_id: string
  readonly limit: number
}
// Read before the entries, so that Postgres opens only the months that the page lies in: no entry is newer than the
// last stamp of its board.
const lastStamp = (p: Named<{ brand_id: number; board_id: string }>) =>
  sql`(select b.last_activity_at from boards.boards b where b.brand_id = ${p.brand_id} and b.id = ${p.board_id})`
const newest = brandStatement<Page, ActivityRow>(
  (p) => sql`select ${columns} from boards.activity
   where brand_id = ${p.brand_id} and board_id = ${p.board_id} and created_at <= ${lastStamp(p)}
   order by created_at desc, activity.id desc limit ${p.limit}`,
)
export interface Place {
  readonly created_at: string
  readonly id: string
}
// BRD-G15: the oldest after the cursor, so that a burst is read to its end; the caller turns them round.
const newer = (p: Named<{ brand_id: number; board_id: string } & Place>) =>
  sql`(created_at, activity.id) > (${p.created_at}::timestamptz, ${p.id}::bigint)
     and created_at >= ${p.created_at}::timestamptz and created_at <= ${lastStamp(p)}
   order by created_at, activity.id`
const older = (p: Named<{ brand_id: number; board_id: string } & Place>) =>
  sql`(created_at, activity.id) < (${p.created_at}::timestamptz, ${p.id}::bigint)
     and created_at <= ${p.created_at}::timestamptz and created_at <= ${lastStamp(p)}
   order by created_at desc, activity.id desc`
const ofBoard = (read: typeof newer) =>
  brandStatement<Page & Place, ActivityRow>(
    (p) => sql`select ${columns} from boards.activity
     where brand_id = ${p.brand_id} and board_id = ${p.board_id} and ${read(p)} limit ${p.limit}`,
  )
const [after, before] = [ofBoard(newer), ofBoard(older)]
// Of a card that was found on the board. All of its entries are there, so the board is only asked for its last stamp.
type CardPage = Page & Place & { readonly card_id: string }
const ofCard = (read: typeof newer) =>
  brandStatement<CardPage, ActivityRow>(
    (p) => sql`select ${columns} from boards.activity
     where brand_id = ${p.brand_id} and card_id = ${p.card_id} and ${read(p)} limit ${p.limit}`,
  )
const [ofCardAfter, ofCardBefore] = [ofCard(newer), ofCard(older)]

const lost = brandStatement<{ board_ids: readonly string[]; times: readonly string[] }, { id: string }>(
  (p) => sql`select b.id from unnest(${p.board_ids}::uuid[], ${p.times}::timestamptz[]) as p (board_id,
     created_at)
   join boards.boards b on b.brand_id = ${p.brand_id} and b.id = p.board_id
   where p.created_at < platform.kept_since('boards.activity') and p.created_at < b.last_activity_at limit 1`,
)
const roll = statement<{ keep: number }, unknown>((p) => sql`select boards.roll_activity(${p.keep})`)

interface Entry extends Omit<NewEntry, 'actor' | 'data' | 'told'> {
  readonly actor: Actor
  readonly data: object
  readonly changes?: ToldChanges | undefined
  readonly mentions?: readonly string[] | undefined
}
const keysOf = ({ actor, data, changes, mentions, ...rest }: Entry) => ({
  ...rest,
  actor: JSON.stringify(actor),
  data: JSON.stringify(data),
  told: JSON.stringify({ changes, mentions: mentions?.length ? mentions : undefined }),
})
/** Only under the lock of the board, and last in the transaction. */
export const insertActivity = (ctx: BrandTx, entry: Entry) => ctx.db.first(add, keysOf(entry))
/** Several with places that were taken before. */
export const insertStamped = (
  ctx: BrandTx,
  entries: readonly (Omit<Entry, 'changes' | 'mentions'> & Pick<ActivityRow, 'id' | 'created_at' | 'told'>)[],
) => ctx.db.run(addStamped, { entries: JSON.stringify(entries) })
export const listNewestActivity = (ctx: BrandCtx, board_id: string, limit: number) =>
  ctx.db.all(newest, { board_id, limit })
export const listActivityAfter = (ctx: BrandCtx, page: Page & Place) => ctx.db.all(after, { ...page })
export const listActivityBefore = (ctx: BrandCtx, page: Page & Place) => ctx.db.all(before, { ...page })
export const listCardActivityAfter = (ctx: BrandCtx, page: CardPage) => ctx.db.all(ofCardAfter, { ...page })
export const listCardActivityBefore = (ctx: BrandCtx, page: CardPage) => ctx.db.all(ofCardBefore, { ...page })
/** Behind every entry, where the newest ones of a card are asked for. */
export const lastPlace: Place = { created_at: 'infinity', id: String(2n ** 63n - 1n) }
/** Whether entries behind one of these places have been dropped by age. Ask after reading: what was read was there. */
export const hasLostActivity = async (
  ctx: BrandCtx,
  places: readonly { readonly board_id: string; readonly created_at: string }[],
) => {
  const board_ids = places.map(({ board_id }) => board_id)
  const times = places.map(({ created_at }) => created_at)
  return (await ctx.db.first(lost, { board_ids, times })) !== undefined
}
export const rollMonths = (ctx: SystemCtx, keep: number) => ctx.db.run(roll, { keep })
