import { emailTaken } from '@crewhall/contracts/identity/refusals.ts'
import type { SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface PersonRow {
  readonly id: number
  readonly email: string
  readonly full_name: string
  readonly image: string | null
  readonly is_staff: boolean
  readonly email_verified: boolean
}
export interface MembershipRow {
  readonly brand_id: number
  readonly name: string
  readonly role: 'admin' | 'member'
}

const byId = statement<{ id: number }, PersonRow>(
  (p) => sql`select id, email, full_name, image, is_staff, email_verified from identity.people
     where id = ${p.id}`,
)
const withPassword = statement<{ email: string }, { person_id: number; password_hash: string }>(
  (p) => sql`select w.person_id, w.password_hash from identity.people p
   join identity.passwords w on w.person_id = p.id where p.email = ${p.email} and p.kind = 'person'`,
)
const addPerson = statement<{ email: string; full_name: string }, { id: number }>(
  (p) => sql`insert into identity.people (email, full_name) values (${p.email}, ${p.full_name}) returning id`,
)
const setPassword = statement<{ person_id: number; password_hash: string }, unknown>(
  (p) => sql`insert into identity.passwords (person_id, password_hash)
     values (${p.person_id}, ${p.password_hash})
   on conflict (person_id) do update set password_hash = excluded.password_hash, changed_at = platform.now()`,
)
const addBrand = statement<{ name: string; plan_key: string; ceiling: readonly string[] }, { id: number }>(
  (p) => sql`insert into identity.brands (name, plan_key, scope_ceiling)
     values (${p.name}, ${p.plan_key}, ${p.ceiling}) returning id`,
)
const addMembership = statement<{ brand_id: number; person_id: number; role: string }, unknown>(
  (p) => sql`insert into identity.memberships (brand_id, person_id, role)
     values (${p.brand_id}, ${p.person_id}, ${p.role})`,
)
// A person in a thousand workspaces sees the first hundred; nothing here grows with other people's data.
const ofPerson = statement<{ person_id: number }, MembershipRow>(
  (p) => sql`select m.brand_id, b.name, m.role from identity.memberships m
   join identity.brands b on b.id = m.brand_id
   where m.person_id = ${p.person_id} and m.status = 'active' order by m.brand_id limit 100`,
)
// Callers write any whole number; one too large for an id is as unknown as any other.
const oneOfPerson = statement<{ person_id: number; brand_id: number }, MembershipRow>(
  (p) => sql`select m.brand_id, b.name, m.role from identity.memberships m
   join identity.brands b on b.id = m.brand_id
   where m.person_id = ${p.person_id} and m.brand_id = ${p.brand_id}::bigint and m.status = 'active'`,
)
interface NewSession {
  readonly token_hash: string
  readonly person_id: number
  readonly brand_id: number | null
  readonly days: number
  readonly client: string | null
  readonly network: string
}
// One more than a person may have ends the oldest, so that the list of them is whole.
const addSession = statement<NewSession & { limit: number }, { id: number; expires_at: string }>(
  (p) => sql`with old as (
     delete from identity.sessions where id in (
       select s.id from identity.sessions s where s.person_id = ${p.person_id}
       order by s.id desc offset ${p.limit}::int - 1 for update skip locked))
   insert into identity.sessions (token_hash, person_id, brand_id, expires_at, client, network, last_used_on)
   values (${p.token_hash}, ${p.person_id}, ${p.brand_id}, platform.now() + make_interval(days => ${p.days}),
     ${p.client}, ${p.network}, platform.now()::date)
   returning id, expires_at`,
)
const moveSession = statement<{ id: number; brand_id: number }, unknown>(
  (p) => sql`update identity.sessions set brand_id = ${p.brand_id}, updated_at = platform.now()
     where id = ${p.id}`,
)
const endSession = statement<{ id: number }, unknown>(
  (p) => sql`delete from identity.sessions
     where id = ${p.id}`,
)
const endSessionsOf = statement<{ person_id: number }, unknown>(
  (p) => sql`delete from identity.sessions where person_id = ${p.person_id}`,
)
const addReset = statement<
  { token_hash: string; email: string; minutes: number },
  { person_id: number; full_name: string }
>(
  (p) => sql`with person as (
     select p.id, p.full_name from identity.people p
     join identity.passwords w on w.person_id = p.id where p.email = ${p.email} and p.kind = 'person'),
   added as (
     insert into identity.password_resets (token_hash, person_id, expires_at)
     select ${p.token_hash}, id, platform.now() + make_interval(mins => ${p.minutes}) from person)
   select id as person_id, full_name from person`,
)
const liveReset = statement<{ token_hash: string }, { person_id: number }>(
  (p) => sql`select person_id from identity.password_resets where token_hash = ${p.token_hash}
     and expires_at > platform.now()`,
)
/** Using a link ends all links of the person; two uses at once find it once. */
const takeReset = statement<{ token_hash: string }, { person_id: number }>(
  (p) => sql`with used as (
     delete from identity.password_resets where token_hash = ${p.token_hash} and expires_at > platform.now()
       returning person_id),
   others as (
     delete from identity.password_resets r using used where r.person_id = used.person_id
       and r.token_hash <> ${p.token_hash})
   select person_id from used`,
)
/** Counts a try before it is made, so that tries at the same time cannot slip past the limit together. */
const countTry = statement<{ key: string; limit: number; minutes: number }, { failures: number }>(
  (p) => sql`insert into identity.attempt_limits as a (key, window_end, failures)
   values (${p.key}, platform.now() + make_interval(mins => ${p.minutes}), 1)
   on conflict (key) do update set
     failures = case when a.window_end <= platform.now() then 1 else a.failures + 1 end,
     window_end = case when a.window_end <= platform.now() then excluded.window_end else a.window_end end
   where a.window_end <= platform.now() or a.failures < ${p.limit}
   returning failures`,
)
const clearTries = statement<{ key: string }, unknown>(
  (p) => sql`delete from identity.attempt_limits where key = ${p.key}`,
)

/** A try that turned out right does not count against the address it came from. */
const uncountTry = statement<{ key: string }, unknown>(
  (p) => sql`update identity.attempt_limits set failures = greatest(failures - 1, 0) where key = ${p.key}`,
)

export const findPerson = (ctx: SystemCtx, id: number) => ctx.db.first(byId, { id })
export const findPasswordByEmail = (ctx: SystemCtx, email: string) => ctx.db.first(withPassword, { email })
export const listMemberships = (ctx: SystemCtx, person_id: number) => ctx.db.all(ofPerson, { person_id })
export const findMembership = (ctx: SystemCtx, person_id: number, brand_id: number) =>
  ctx.db.first(oneOfPerson, { person_id, brand_id })

export async function insertPerson(ctx: SystemTx, email: string, full_name: string): Promise<number> {
  try {
    return (await ctx.db.first(addPerson, { email, full_name }))?.id ?? 0
  } catch (error) {
    throw violates(error, 'people_email_key') ? emailTaken() : error
  }
}
export const updatePassword = (ctx: SystemTx, person_id: number, password_hash: string) =>
  ctx.db.run(setPassword, { person_id, password_hash })
export const insertBrand = async (
  ctx: SystemTx,
  name: string,
  plan_key: string,
  ceiling: readonly string[],
) => (await ctx.db.first(addBrand, { name, plan_key, ceiling }))?.id ?? 0
export const insertMembership = (
  ctx: SystemTx,
  brand_id: number,
  person_id: number,
  role: 'admin' | 'member',
) => ctx.db.run(addMembership, { brand_id, person_id, role })
export const insertSession = (ctx: SystemTx, session: NewSession, limit: number) =>
  ctx.db.first(addSession, { ...session, limit })
export const updateSessionBrand = (ctx: SystemCtx, id: number, brand_id: number) =>
  ctx.db.run(moveSession, { id, brand_id })
export const deleteSession = (ctx: SystemCtx, id: number) => ctx.db.run(endSession, { id })
export const deleteSessionsByPerson = (ctx: SystemTx, person_id: number) =>
  ctx.db.run(endSessionsOf, { person_id })
export const insertReset = (ctx: SystemCtx, reset: { token_hash: string; email: string; minutes: number }) =>
  ctx.db.first(addReset, reset)
export const findReset = (ctx: SystemCtx, token_hash: string) => ctx.db.first(liveReset, { token_hash })
export const deleteReset = (ctx: SystemTx, token_hash: string) => ctx.db.first(takeReset, { token_hash })
/** How many there were with this one; 0 when it is one too many. */
export const updateTries = async (
  ctx: SystemCtx,
  key: string,
  limit: number,
  minutes: number,
): Promise<number> => (await ctx.db.first(countTry, { key, limit, minutes }))?.failures ?? 0
export const updateTriesBack = (ctx: SystemCtx, key: string) => ctx.db.run(uncountTry, { key })
export const deleteTries = (ctx: SystemCtx, key: string) => ctx.db.run(clearTries, { key })
