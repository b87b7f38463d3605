import type { Actor, FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { Run } from '@crewhall/contracts/boards/runs.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

/** Where a reader stands: after this card. */
export interface FinishedPlace {
  readonly completed_at: string
  readonly id: string
}

// A transaction that is open has stamped its cards after its own beginning. So whatever is finished before all of them
// began can be seen by the next statement, and nothing older comes later. Sessions of the product's role are visible.
const horizon = statement<{ settle_seconds: number }, { until: string }>(
  (p) => sql`select platform.clock_now() - greatest(make_interval(secs => ${p.settle_seconds}::int),
     (select max(clock_timestamp() - xact_start) from pg_stat_activity where datname = current_database())) as until`,
)

interface Walk extends FinishedPlace {
  readonly until: string
  readonly walked: number
  /** All open ones where it is null. */
  readonly board_ids: readonly string[] | null
  readonly limit: number
}
export interface WalkedRow extends FinishedPlace {
  /** Not so: where the walk ended without one more. */
  readonly is_wanted: boolean
  readonly has_more: boolean
}
// Cards of other boards are walked over in the index, and the place moves on with them: a reader of a quiet board
// beside busy ones walks over each of their cards once.
const walk = brandStatement<Walk, WalkedRow>(
  (p) => sql`with walked as materialized (
     select id, board_id, completed_at from boards.cards
     where brand_id = ${p.brand_id} and status = 'done' and archived_at is null
       and (completed_at, id) > (${p.completed_at}::timestamptz, ${p.id}::uuid) and completed_at < ${p.until}
     order by completed_at, id limit ${p.walked}
   ), wanted as materialized (
     select w.completed_at, w.id from walked w
     where (${p.board_ids}::uuid[] is null or w.board_id = any(${p.board_ids}::uuid[])) and exists (
       select from boards.boards b where b.brand_id = ${p.brand_id} and b.id = w.board_id and b.archived_at is null)
     order by w.completed_at, w.id limit ${p.limit}
   ), totals as (
     select (select count(*) from walked) = ${p.walked} or (select count(*) from wanted) = ${p.limit} as has_more
   )
   select completed_at, id, true as is_wanted, has_more from wanted, totals
   union all
   (select completed_at, id, false, has_more from walked, totals
    where (select count(*) from wanted) < ${p.limit} order by completed_at desc, id desc limit 1)
   order by completed_at, id, is_wanted desc`,
)

export interface FinishedRow
  extends Pick<
    FullCard,
    'id' | 'title' | 'description' | 'result' | 'source' | 'created_at' | 'runs_count' | 'comments_count'
  > {
  readonly created_by: Actor
  readonly completed_at: string
}
const one = brandStatement<{ id: string; characters: number }, FinishedRow>(
  (
    p,
  ) => sql`select c.id, c.title, c.description, left(t.result, ${p.characters}) as result, c.source, c.created_by,
     c.created_at, c.completed_at, c.runs_count, c.comments_count
   from boards.cards c
   join boards.boards b on b.brand_id = ${p.brand_id} and b.id = c.board_id and b.archived_at is null
   join boards.card_texts t on t.brand_id = ${p.brand_id} and t.card_id = c.id
   where c.brand_id = ${p.brand_id} and c.id = ${p.id} and c.status = 'done' and c.archived_at is null`,
)

export interface RunRow
  extends Pick<Run, 'id' | 'number' | 'status' | 'reason' | 'summary' | 'started_by' | 'started_at'> {
  readonly finished_at: string
}
interface Newest {
  readonly id: string
  readonly limit: number
  readonly characters: number
}
const runs = brandStatement<Newest, RunRow>(
  (p) => sql`select * from (
     select id, number, status, reason, left(summary, ${p.characters}) as summary, started_by, started_at, finished_at
     from boards.runs where brand_id = ${p.brand_id} and card_id = ${p.id}
     order by number desc limit ${p.limit}) as newest
   where finished_at is not null order by number`,
)

export interface CommentRow {
  readonly id: string
  readonly body: string
  readonly author: Actor
  readonly created_at: string
}
// Guests are counted apart, so that they cannot push out what others have said.
const comments = brandStatement<Newest & { walked: number }, CommentRow>(
  (p) => sql`with newest as (
     select id, body, author, created_at from boards.comments
     where brand_id = ${p.brand_id} and card_id = ${p.id}
     order by created_at desc, id desc limit ${p.walked}
   ), numbered as (
     select newest.*, row_number() over (
       partition by author ->> 'kind' = 'guest' order by created_at desc, id desc) as n from newest
   )
   select id, left(body, ${p.characters}) as body, author, created_at from numbered
   where n <= ${p.limit} order by created_at, id`,
)

export const findHorizon = async (ctx: BrandCtx, settle_seconds: number): Promise<string | undefined> =>
  (await ctx.db.first(horizon, { settle_seconds }))?.until
export const listFinished = (ctx: BrandCtx, from: Walk) => ctx.db.all(walk, { ...from })
export const findFinished = (ctx: BrandCtx, id: string, characters: number) =>
  ctx.db.first(one, { id, characters })
export const listRunsOfFinished = (ctx: BrandCtx, newest: Newest) => ctx.db.all(runs, { ...newest })
export const listCommentsOfFinished = (ctx: BrandCtx, newest: Newest & { walked: number }) =>
  ctx.db.all(comments, { ...newest })
