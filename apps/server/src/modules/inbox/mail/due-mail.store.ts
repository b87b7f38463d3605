import { type InboxKind, type InboxSubject, inboxKinds } from '@crewhall/contracts/inbox/inbox.ts'
import type { BrandCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql, statement } from '#platform/db/statement.ts'
import { isOpenTo, type Of, type Reader } from '../entries/entries.store.ts'

/** A worker that dies leaves the mail to another after so long; one that lives needs a fraction of it. */
const leaseMinutes = 10

export interface DueRow {
  readonly brand_id: number
  readonly person_id: number
  /** What was told after the one and until the other is new. */
  readonly since: string
  readonly until: string
  /** Whether something is. */
  readonly is_due: boolean
}
export interface NewEntryRow {
  readonly kind: InboxKind
  readonly subject_kind: InboxSubject
  readonly ref: string | null
  readonly title: string
}
interface Span {
  readonly since: string
  readonly until: string
  readonly limit: number
}

// Whoever is being told of something right now is left for the next look, see `telling.store.ts`.
const lock = statement<{ limit: number }, { brand_id: number; person_id: number }>(
  (p) => sql`select brand_id, person_id from inbox.mail_settings where due_at <= platform.now()
   order by due_at limit ${p.limit} for update skip locked`,
)
// A statement of its own, so that it sees all that was committed before the locks.
const take = statement<{ brand_ids: readonly number[]; person_ids: readonly number[] }, DueRow>(
  (p) => sql`update inbox.mail_settings s set due_at = case when n.is_new
     then platform.clock_now() + interval '${String(leaseMinutes)} minutes' end
   from unnest(${p.brand_ids}::int[], ${p.person_ids}::int[]) as t (brand_id, person_id)
   join inbox.mail_settings o using (brand_id, person_id)
   cross join lateral (select exists (select from unnest('{${inboxKinds.join(',')}}'::text[]) as k (kind)
     cross join lateral (select from inbox.entries e where e.brand_id = t.brand_id and e.person_id = t.person_id
       and e.state = 'unread' and e.kind = k.kind and e.at > o.seen_to limit 1) e) as is_new) n
   where s.brand_id = t.brand_id and s.person_id = t.person_id
   returning s.brand_id, s.person_id, s.seen_to as since, platform.clock_now() as until, s.due_at is not null as is_due`,
)
const newEntries = (p: Named<Of & Span>) => sql`unnest('{${inboxKinds.join(',')}}'::text[]) as k (kind)
   cross join lateral (
     select * from inbox.entries e where ${isOpenTo(p)} and e.state = 'unread' and e.kind = k.kind
       and e.at > ${p.since}::timestamptz and e.at <= ${p.until}::timestamptz
     order by e.at desc, e.id desc limit ${p.limit}) e`
const list = brandStatement<Reader & Span, NewEntryRow>(
  (p) => sql`select e.kind, e.subject_kind, e.ref, e.title from ${newEntries(p)}
   order by e.at desc, e.id desc limit ${p.limit}`,
)
const count = brandStatement<Reader & Span, { count: number }>(
  (p) => sql`select count(*)::int as count from (select from ${newEntries(p)} limit ${p.limit}) as counted`,
)
type Mailed = { readonly is_sent: boolean; readonly minutes: number }
const sentAt = (p: Named<Mailed>) =>
  sql`case when ${p.is_sent}::boolean then platform.clock_now() else s.sent_at end`
const silentUntil = (p: Named<Mailed>) =>
  sql`inbox.mail_silent_until(s.mode, ${sentAt(p)}, ${p.minutes}::int)`
// Looked at once more after the silence: what is told meanwhile finds it due already, and leaves it at that.
const note = brandStatement<Mailed & { person_id: number; until: string }, unknown>(
  (p) => sql`update inbox.mail_settings s set seen_to = greatest(s.seen_to, ${p.until}::timestamptz),
     sent_at = ${sentAt(p)}, not_before = ${silentUntil(p)},
     due_at = case when s.mode <> 'off' then inbox.mail_due(s.mode, s.hour, ${silentUntil(p)}) end
   where s.brand_id = ${p.brand_id} and s.person_id = ${p.person_id}`,
)
const forget = brandStatement<{ person_id: number }, unknown>(
  (p) => sql`delete from inbox.mail_settings where brand_id = ${p.brand_id} and person_id = ${p.person_id}`,
)

/** Until the end of the transaction, and nobody whom another worker holds. */
export const lockDue = (ctx: SystemTx, limit: number) => ctx.db.all(lock, { limit })
/** Under their locks: from now on they are this worker's, or asleep if there is nothing new. */
export const updateTaken = (
  ctx: SystemTx,
  due: readonly { readonly brand_id: number; readonly person_id: number }[],
) =>
  ctx.db.all(take, {
    brand_ids: due.map(({ brand_id }) => brand_id),
    person_ids: due.map(({ person_id }) => person_id),
  })
export const listNew = (ctx: BrandCtx, span: Reader & Span) => ctx.db.all(list, span)
export const countNew = async (ctx: BrandCtx, span: Reader & Span) =>
  (await ctx.db.first(count, span))?.count ?? 0
export const updateMailed = (
  ctx: BrandCtx,
  mailed: Mailed & { readonly person_id: number; readonly until: string },
) => ctx.db.run(note, mailed)
export const deleteSetting = (ctx: BrandCtx, person_id: number) => ctx.db.run(forget, { person_id })
