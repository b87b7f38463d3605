import type { Actor } from '@crewhall/contracts/boards/card-fields.ts'
import type { InboxKind, InboxState, InboxSubject } from '@crewhall/contracts/inbox/inbox.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql, statement } from '#platform/db/statement.ts'

export interface EntryRow {
  readonly id: string
  readonly kind: InboxKind
  readonly state: InboxState
  readonly subject_kind: InboxSubject
  readonly subject_id: string
  readonly board_id: string | null
  readonly ref: string | null
  readonly title: string
  readonly reason: string | null
  readonly actor: Actor | null
  readonly causes: number
  readonly created_at: string
  readonly told_at: string
  readonly at: string
}

/** Who reads, and what they may see: all scopes for a session. */
export interface Reader {
  readonly person_id: number
  readonly is_admin: boolean
  readonly scopes: readonly string[] | null
}
interface Page extends Reader {
  readonly states: readonly string[]
  readonly kinds: readonly string[]
  readonly at: string
  readonly id: string
  readonly limit: number
}
export type Of = { brand_id: number } & Reader

const columns = `e.id, e.kind, case when e.state = 'snoozed' and e.at <= platform.clock_now() then 'unread' else e.state end as state,
   e.subject_kind, e.subject_id, e.board_id, e.ref, e.title, e.reason, e.actor, e.causes, e.created_at, e.told_at, e.at`
/** Asked at each read: a role or a scope may have been taken away since. */
export const isOpenTo = (p: Named<Of>) => sql`e.brand_id = ${p.brand_id} and e.person_id = ${p.person_id}
  and (not e.for_admins or ${p.is_admin}::boolean)
  and (e.scope is null or ${p.scopes}::text[] is null or e.scope = any(${p.scopes}::text[]))`
// What has slept long enough counts as unread; `awake` says which of the sleepers are meant.
const branches = sql`(values ('unread', 'unread', null::boolean), ('unread', 'snoozed', true),
    ('snoozed', 'snoozed', false), ('read', 'read', null), ('done', 'done', null)) as s (wanted, state, awake)`

// A short walk along the index for each state and kind, merged.
const list = brandStatement<Page, EntryRow>(
  (p) => sql`select ${columns} from ${branches}
   cross join unnest(${p.kinds}::text[]) as k (kind)
   cross join lateral (
     select * from inbox.entries e where ${isOpenTo(p)} and e.state = s.state and e.kind = k.kind
       and (s.awake is null or (e.at <= platform.clock_now()) = s.awake)
       and (e.at, e.id) < (${p.at}::timestamptz, ${p.id}::uuid)
     order by e.at desc, e.id desc limit ${p.limit}
   ) e
   where s.wanted = any(${p.states}::text[])
   order by e.at desc, e.id desc limit ${p.limit}`,
)
// Two walks, or all that a person has ever had would be looked at.
const unread = brandStatement<Reader & { limit: number }, { count: number }>(
  (p) => sql`select count(*)::int as count from (
     (select from inbox.entries e where ${isOpenTo(p)} and e.state = 'unread' limit ${p.limit})
     union all
     (select from inbox.entries e where ${isOpenTo(p)} and e.state = 'snoozed' and e.at <= platform.clock_now()
       limit ${p.limit})
     limit ${p.limit}) e`,
)
const lock = brandStatement<Reader & { ids: readonly string[] }, { id: string }>(
  (p) => sql`select e.id from inbox.entries e where ${isOpenTo(p)} and e.id = any(${p.ids}::uuid[])
   order by e.id for update`,
)
const byIds = brandStatement<Reader & { ids: readonly string[] }, EntryRow>(
  (p) => sql`select ${columns} from inbox.entries e where ${isOpenTo(p)} and e.id = any(${p.ids}::uuid[])
   order by e.at desc, e.id desc`,
)
const mark = brandStatement<
  { entries: string; state: string; until: string | null; days: number },
  { id: string }
>(
  (p) => sql`update inbox.entries e set state = ${p.state}, at = coalesce(${p.until}::timestamptz, e.told_at),
     ends_at = case when ${p.state}::text = 'done' then platform.clock_now() + make_interval(days => ${p.days})
       else greatest(e.told_at, ${p.until}::timestamptz) + interval '1 year' end
   from json_to_recordset(${p.entries}::json) as n (id uuid, causes int)
   where e.brand_id = ${p.brand_id} and e.id = n.id and (n.causes is null or n.causes = e.causes)
   returning e.id`,
)
const sweep = statement<{ limit: number }, unknown>(
  (p) => sql`delete from inbox.entries where (brand_id, id) in (
     select brand_id, id from inbox.entries where ends_at < platform.now() order by ends_at limit ${p.limit}
     for update skip locked)`,
)

export const listEntries = (ctx: BrandCtx, page: Page) => ctx.db.all(list, page)
export const countUnread = async (ctx: BrandCtx, reader: Reader & { limit: number }) =>
  (await ctx.db.first(unread, reader))?.count ?? 0
/** Those among them that are the reader's, until the end of the transaction. */
export const lockEntries = (ctx: BrandTx, reader: Reader & { ids: readonly string[] }) =>
  ctx.db.all(lock, reader)
export const listEntriesById = (ctx: BrandCtx, reader: Reader & { ids: readonly string[] }) =>
  ctx.db.all(byIds, reader)
/** Only under their locks. Returns those that were as they had been seen. */
export const updateMarked = (
  ctx: BrandTx,
  given: { entries: string; state: string; until: string | null; days: number },
) => ctx.db.all(mark, given)
/** Over all brands, by the sweep. */
export const deleteEnded = (ctx: SystemCtx, limit: number) => ctx.overBrands().db.run(sweep, { limit })
