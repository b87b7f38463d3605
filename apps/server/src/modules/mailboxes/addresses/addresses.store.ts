import type { BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

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

const mailbox = `select b.external_address, n.name from mailboxes.mailboxes b
   left join mailboxes.names n on n.person_id = b.person_id and n.forwards_until is null
   where b.person_id = $1`
const mailboxOf = sqlStatement<{ person_id: number }, MailboxRow>(mailbox, 'person_id')
// Whoever renames waits here for their own other rename. What is read after the lock is the state it left,
// so the current name is asked for by a statement of its own.
const lock = sqlStatement<{ person_id: number }, unknown>(
  'select 1 from mailboxes.mailboxes where person_id = $1 for update',
  'person_id',
)
const held = sqlStatement<{ name: string }, NameRow>(
  `select person_id, forwards_until is null as is_current from mailboxes.names
   where name = $1 and (forwards_until is null or quarantined_until > platform.now())`,
  'name',
)
const forwarding = sqlStatement<{ person_id: number; limit: number }, ForwardingRow>(
  `select name, forwards_until from mailboxes.names
   where person_id = $1 and forwards_until > platform.now() order by forwards_until desc, name limit $2`,
  'person_id',
  'limit',
)
const addMailbox = sqlStatement<{ person_id: number }, unknown>(
  'insert into mailboxes.mailboxes (person_id) values ($1) on conflict (person_id) do nothing',
  'person_id',
)
const retire = sqlStatement<
  { person_id: number; forwarding_hours: number; quarantine_hours: number },
  ForwardingRow
>(
  `update mailboxes.names set forwards_until = platform.now() + make_interval(hours => $2),
     quarantined_until = platform.now() + make_interval(hours => $2 + $3)
   where person_id = $1 and forwards_until is null returning name, forwards_until`,
  'person_id',
  'forwarding_hours',
  'quarantine_hours',
)
// The one place that decides who gets a name. Two who want it at once meet at its key: the second waits, and
// then finds it held. One's own earlier name comes back, and its forwarding ends by becoming current.
const claim = sqlStatement<{ name: string; person_id: number }, unknown>(
  `insert into mailboxes.names as held (name, person_id) values ($1, $2)
   on conflict (name) do update set person_id = excluded.person_id, forwards_until = null,
     quarantined_until = null, claimed_at = platform.now()
   where held.forwards_until is not null
     and (held.person_id = excluded.person_id or held.quarantined_until <= platform.now())`,
  'name',
  'person_id',
)
const sweep = sqlStatement<{ limit: number }, unknown>(
  `delete from mailboxes.names where name in (
     select name from mailboxes.names where quarantined_until <= platform.now()
     order by quarantined_until limit $1 for update skip locked)`,
  'limit',
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
