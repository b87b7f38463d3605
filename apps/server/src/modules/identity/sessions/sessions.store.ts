import { emailTaken } from '@crewhall/contracts/identity/refusals.ts'
import type { SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { sqlStatement } from '#platform/db/statement.ts'

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

const byId = sqlStatement<{ id: number }, PersonRow>(
  'select id, email, full_name, image, is_staff, email_verified from identity.people where id = $1',
  'id',
)
const withPassword = sqlStatement<{ email: string }, { person_id: number; password_hash: string }>(
  `select w.person_id, w.password_hash from identity.people p
   join identity.passwords w on w.person_id = p.id where p.email = $1 and p.kind = 'person'`,
  'email',
)
const addPerson = sqlStatement<{ email: string; full_name: string }, { id: number }>(
  'insert into identity.people (email, full_name) values ($1, $2) returning id',
  'email',
  'full_name',
)
const setPassword = sqlStatement<{ person_id: number; password_hash: string }, unknown>(
  `insert into identity.passwords (person_id, password_hash) values ($1, $2)
   on conflict (person_id) do update set password_hash = excluded.password_hash, changed_at = platform.now()`,
  'person_id',
  'password_hash',
)
const addBrand = sqlStatement<{ name: string; plan_key: string; ceiling: readonly string[] }, { id: number }>(
  'insert into identity.brands (name, plan_key, scope_ceiling) values ($1, $2, $3) returning id',
  'name',
  'plan_key',
  'ceiling',
)
const addMembership = sqlStatement<{ brand_id: number; person_id: number; role: string }, unknown>(
  'insert into identity.memberships (brand_id, person_id, role) values ($1, $2, $3)',
  'brand_id',
  'person_id',
  'role',
)
// A person in a thousand workspaces sees the first hundred; nothing here grows with other people's data.
const ofPerson = sqlStatement<{ person_id: number }, MembershipRow>(
  `select m.brand_id, b.name, m.role from identity.memberships m
   join identity.brands b on b.id = m.brand_id
   where m.person_id = $1 and m.status = 'active' order by m.brand_id limit 100`,
  'person_id',
)
// Callers write any whole number; one too large for an id is as unknown as any other.
const oneOfPerson = sqlStatement<{ person_id: number; brand_id: number }, MembershipRow>(
  `select m.brand_id, b.name, m.role from identity.memberships m
   join identity.brands b on b.id = m.brand_id
   where m.person_id = $1 and m.brand_id = $2::bigint and m.status = 'active'`,
  'person_id',
  'brand_id',
)
const addSession = sqlStatement<
  { token_hash: string; person_id: number; brand_id: number | null; days: number },
  { id: number; expires_at: string }
>(
  `insert into identity.sessions (token_hash, person_id, brand_id, expires_at)
   values ($1, $2, $3, platform.now() + make_interval(days => $4)) returning id, expires_at`,
  'token_hash',
  'person_id',
  'brand_id',
  'days',
)
const moveSession = sqlStatement<{ id: number; brand_id: number }, unknown>(
  'update identity.sessions set brand_id = $2, updated_at = platform.now() where id = $1',
  'id',
  'brand_id',
)
const endSession = sqlStatement<{ id: number }, unknown>('delete from identity.sessions where id = $1', 'id')
const endSessionsOf = sqlStatement<{ person_id: number }, unknown>(
  'delete from identity.sessions where person_id = $1',
  'person_id',
)
const addReset = sqlStatement<
  { token_hash: string; email: string; minutes: number },
  { person_id: number; full_name: string }
>(
  `with person as (
     select p.id, p.full_name from identity.people p
     join identity.passwords w on w.person_id = p.id where p.email = $2 and p.kind = 'person'),
   added as (
     insert into identity.password_resets (token_hash, person_id, expires_at)
     select $1, id, platform.now() + make_interval(mins => $3) from person)
   select id as person_id, full_name from person`,
  'token_hash',
  'email',
  'minutes',
)
const liveReset = sqlStatement<{ token_hash: string }, { person_id: number }>(
  'select person_id from identity.password_resets where token_hash = $1 and expires_at > platform.now()',
  'token_hash',
)
/** Using a link ends all links of the person; two uses at once find it once. */
const takeReset = sqlStatement<{ token_hash: string }, { person_id: number }>(
  `with used as (
     delete from identity.password_resets where token_hash = $1 and expires_at > platform.now() returning person_id),
   others as (
     delete from identity.password_resets r using used where r.person_id = used.person_id and r.token_hash <> $1)
   select person_id from used`,
  'token_hash',
)
/** Counts a try before it is made, so that tries at the same time cannot slip past the limit together. */
const countTry = sqlStatement<{ key: string; limit: number; minutes: number }, { failures: number }>(
  `insert into identity.attempt_limits as a (key, window_end, failures)
   values ($1, platform.now() + make_interval(mins => $3), 1)
   on conflict (key) do update set
     failures = case when a.window_end <= platform.now() then 1 else a.failures + 1 end,
     window_end = case when a.window_end <= platform.now() then excluded.window_end else a.window_end end
   where a.window_end <= platform.now() or a.failures < $2
   returning failures`,
  'key',
  'limit',
  'minutes',
)
const clearTries = sqlStatement<{ key: string }, unknown>(
  'delete from identity.attempt_limits where key = $1',
  'key',
)

/** A try that turned out right does not count against the address it came from. */
const uncountTry = sqlStatement<{ key: string }, unknown>(
  'update identity.attempt_limits set failures = greatest(failures - 1, 0) where key = $1',
  'key',
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
export const insertSession = (
  ctx: SystemCtx,
  session: { token_hash: string; person_id: number; brand_id: number | null; days: number },
) => ctx.db.first(addSession, session)
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
