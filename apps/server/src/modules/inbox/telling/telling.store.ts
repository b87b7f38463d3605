import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

/** How long an entry is kept that nobody marks. */
const openDays = 365
/** How long one is kept that is done. */
export const doneDays = 90
/** So many admins of a workspace hear of what concerns them all. */
const mostAdmins = 100

const columns =
  'kind, subject_kind, subject_id, board_id, ref, title, reason, actor, by_person, scope, for_admins'
// In the order of the key, so that two writers of the same entries do not wait for each other. Whoever wants mail is held
// before their entry is written: a worker that looks for what is new has no writer in flight, so that nothing told before
// its look can appear after it. Writers do not wait for each other there, except where both are the first to make it due.
const tell = brandStatement<{ notices: string }, unknown>(
  (p) => sql`with told as materialized (
     select r.person_id as reader_id, n.*
     from json_to_recordset(${p.notices}::json) as n (person_id int, kind text, subject_kind text, subject_id text,
       board_id uuid, ref text, title text, reason text, actor jsonb, by_person int, scope text, for_admins boolean)
     cross join lateral (
       select m.person_id from inbox.readers m where m.brand_id = ${p.brand_id} and m.person_id = n.person_id
       union all
       (select m.person_id from inbox.readers m
        where m.brand_id = ${p.brand_id} and n.person_id is null and m.role = 'admin'
        order by m.person_id limit ${String(mostAdmins)})
     ) r),
   held as materialized (
     select h.person_id, h.due_at from (select distinct reader_id from told order by reader_id) t
     cross join lateral (
       select s.person_id, s.due_at from inbox.mail_settings s
       where s.brand_id = ${p.brand_id} and s.person_id = t.reader_id and s.mode <> 'off' for key share) h),
   due as (
     update inbox.mail_settings s set due_at = coalesce(s.due_at, inbox.mail_due(s.mode, s.hour, s.not_before))
     from held where s.brand_id = ${p.brand_id} and s.person_id = held.person_id and s.mode <> 'off'
       and held.due_at is null)
   insert into inbox.entries as e (brand_id, person_id, ${columns}, ends_at)
   select ${p.brand_id}::int, reader_id, ${columns}, platform.clock_now() + make_interval(days => ${String(openDays)})
   from told cross join (select count(*) from held) as after
   order by subject_kind, subject_id, kind, reader_id
   on conflict on constraint entries_one do update set state = 'unread', causes = e.causes + 1,
     board_id = excluded.board_id, ref = excluded.ref, title = excluded.title, reason = excluded.reason,
     actor = excluded.actor, by_person = excluded.by_person, scope = excluded.scope,
     for_admins = excluded.for_admins, told_at = excluded.told_at, at = excluded.at, ends_at = excluded.ends_at`,
)
const settle = brandStatement<
  { subject_kind: string; subject_id: string; kinds: readonly string[] },
  unknown
>(
  (p) => sql`update inbox.entries set state = 'done', at = told_at,
     ends_at = platform.clock_now() + make_interval(days => ${String(doneDays)})
   where brand_id = ${p.brand_id} and subject_kind = ${p.subject_kind} and subject_id = ${p.subject_id}
     and kind = any(${p.kinds}::text[]) and state <> 'done'`,
)

export const upsertEntries = (ctx: BrandTx, notices: readonly object[]) =>
  ctx.db.run(tell, { notices: JSON.stringify(notices) })
export const updateSettled = (
  ctx: BrandTx,
  subject: { subject_kind: string; subject_id: string; kinds: readonly string[] },
) => ctx.db.run(settle, subject)
