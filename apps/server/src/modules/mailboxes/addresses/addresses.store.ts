import type { BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface MailboxRow {
  readonly external_address: string | null
  /** The current one; null when the address is on another domain. */
  readonly name: string | null
}
export interface NameRow {
  readonly person_id: number
  readonly is_current: boolean
}
export interface ForwardingRow {
  readonly name: string
  readonly forwards_until: string
}

const mailboxOf = statement<{ person_id: number }, MailboxRow>(
  (p) => sql`select b.external_address, n.name from mailboxes.mailboxes b
   left join mailboxes.names n on n.person_id = b.person_id and n.forwards_until is null
   where b.person_id = ${p.person_id}`,
)
// Serializes renames of one person. What is read after the lock is the state the other one left, so a separate
// statement reads the current name.
const lock = statement<{ person_id: number }, unknown>(
  (p) => sql`select 1 from mailboxes.mailboxes where person_id = ${p.person_id} for update`,
)
const held = statement<{ name: string }, NameRow>(
  (p) => sql`select person_id, forwards_until is null as is_current from mailboxes.names
   where name = ${p.name} and (forwards_until is null or quarantined_until > platform.now())`,
)
const forwarding = statement<{ person_id: number; limit: number }, ForwardingRow>(
  (p) => sql`select name, forwards_until from mailboxes.names
   where person_id = ${p.person_id} and forwards_until > platform.now() order by forwards_until desc, name
     limit ${p.limit}`,
)
const addMailbox = statement<{ person_id: number }, unknown>(
  (p) => sql`insert into mailboxes.mailboxes (person_id) values (${p.person_id})
     on conflict (person_id) do nothing`,
)
const retire = statement<
  { person_id: number; forwarding_hours: number; quarantine_hours: number },
  ForwardingRow
>(
  (p) => sql`update mailboxes.names
     set forwards_until = platform.now() + make_interval(hours => ${p.forwarding_hours}),
     quarantined_until = platform.now() + make_interval(hours => ${p.forwarding_hours} + ${p.quarantine_hours})
   where person_id = ${p.person_id} and forwards_until is null returning name, forwards_until`,
)
// The one place that decides who gets a name. Two who want it at once meet at its key: the second waits, and
// then finds it held. One's own earlier name comes back, and its forwarding ends by becoming current.
const claim = statement<{ name: string; person_id: number }, unknown>(
  (p) => sql`insert into mailboxes.names as held (name, person_id) values (${p.name}, ${p.person_id})
   on conflict (name) do update set person_id = excluded.person_id, forwards_until = null,
     quarantined_until = null, claimed_at = platform.now()
   where held.forwards_until is not null
     and (held.person_id = excluded.person_id or held.quarantined_until <= platform.now())`,
)
const sweep = statement<{ limit: number }, unknown>(
  (p) => sql`delete from mailboxes.names where name in (
     select name from mailboxes.names where quarantined_until <= platform.now()
     order by quarantined_until limit ${p.limit} for update skip locked)`,
)

export const findMailbox = (ctx: SystemCtx, person_id: number) => ctx.db.first(mailboxOf, { person_id })
export const lockMailbox = (ctx: SystemTx, person_id: number) => ctx.db.run(lock, { person_id })
/** Undefined when anybody may have the name. */
export const findHeldName = (ctx: SystemCtx, name: string) => ctx.db.first(held, { name })
export const listForwarding = (ctx: SystemCtx, person_id: number, limit: number) =>
  ctx.db.all(forwarding, { person_id, limit })
export const insertMailbox = (ctx: SystemTx | BrandTx, person_id: number) =>
  ctx.db.run(addMailbox, { person_id })
export const updateRetired = (
  ctx: SystemTx,
  dates: { person_id: number; forwarding_hours: number; quarantine_hours: number },
) => ctx.db.first(retire, dates)
/** Whether the person has the name now. */
export const insertName = async (ctx: SystemTx | BrandTx, name: string, person_id: number) =>
  (await ctx.db.run(claim, { name, person_id })) > 0
export const deleteFreeNames = (ctx: SystemCtx, limit: number) => ctx.db.run(sweep, { limit })
