import type { InboxMailMode } from '@crewhall/contracts/inbox/mail.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface SettingRow {
  readonly mode: InboxMailMode
  readonly hour: number
  readonly sent_at: string | null
}
interface Chosen {
  readonly person_id: number
  readonly mode: InboxMailMode
  readonly hour: number
  readonly minutes: number
}

const find = brandStatement<{ person_id: number }, SettingRow>(
  (p) => sql`select mode, hour, sent_at from inbox.mail_settings
   where brand_id = ${p.brand_id} and person_id = ${p.person_id}`,
)
// Due soon: what was told while it was still off, by somebody who had not committed, is found by that look.
const put = brandStatement<Chosen, SettingRow>(
  (p) => sql`insert into inbox.mail_settings as s (brand_id, person_id, mode, hour, due_at)
   values (${p.brand_id}, ${p.person_id}, ${p.mode}, ${p.hour},
     case when ${p.mode}::text <> 'off' then inbox.mail_due(${p.mode}::text, ${p.hour}::int, '-infinity') end)
   on conflict on constraint mail_settings_pkey do update set mode = excluded.mode, hour = excluded.hour,
     seen_to = case when s.mode = 'off' then excluded.seen_to else s.seen_to end,
     not_before = inbox.mail_silent_until(excluded.mode, s.sent_at, ${p.minutes}::int),
     due_at = case when excluded.mode <> 'off' then
       inbox.mail_due(excluded.mode, excluded.hour, inbox.mail_silent_until(excluded.mode, s.sent_at, ${p.minutes}::int)) end
   returning mode, hour, sent_at`,
)
const stop = brandStatement<{ person_id: number }, unknown>(
  (p) => sql`update inbox.mail_settings set mode = 'off', due_at = null
   where brand_id = ${p.brand_id} and person_id = ${p.person_id} and mode <> 'off'`,
)

export const findSetting = (ctx: BrandCtx, person_id: number) => ctx.db.first(find, { person_id })
export const upsertSetting = (ctx: BrandTx, chosen: Chosen) => ctx.db.first(put, chosen)
export const updateStopped = (ctx: BrandTx, person_id: number) => ctx.db.run(stop, { person_id })
