import type { BrandCtx, BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface AccountRow {
  readonly is_staff: boolean
  readonly kind: 'person' | 'service'
  readonly has_password: boolean
  readonly workspaces: number
}

interface One {
  readonly person_id: number
}

const account = statement<One, AccountRow>(
  (p) => sql`select p.is_staff, p.kind, exists (select 1 from identity.passwords w
     where w.person_id = p.id) as has_password, identity.count_workspaces(p.id) as workspaces
   from identity.people p where p.id = ${p.person_id}`,
)
// Its own statement: what is read in the statement that waits for a lock is older than the lock.
const lock = statement<One, unknown>(
  (p) => sql`select 1 from identity.people where id = ${p.person_id} for no key update`,
)
const set = statement<One & { password_hash: string }, unknown>(
  (p) => sql`update identity.passwords set password_hash = ${p.password_hash}, changed_at = platform.now()
     where person_id = ${p.person_id}`,
)
const current = statement<One, { email: string; password_hash: string }>(
  (p) => sql`select p.email, w.password_hash from identity.people p
   join identity.passwords w on w.person_id = p.id where p.id = ${p.person_id} and p.kind = 'person'`,
)
const replace = statement<One & { from: string; to: string }, unknown>(
  (p) => sql`update identity.passwords set password_hash = ${p.to}, changed_at = platform.now()
   where person_id = ${p.person_id} and password_hash = ${p.from}`,
)
const endSessions = statement<One, unknown>(
  (p) => sql`delete from identity.sessions where person_id = ${p.person_id}`,
)
const endLinks = statement<One, unknown>(
  (p) => sql`delete from identity.password_resets where person_id = ${p.person_id}`,
)
const addLink = statement<One & { token_hash: string; minutes: number }, unknown>(
  (p) => sql`insert into identity.password_resets (token_hash, person_id, expires_at)
   values (${p.token_hash}, ${p.person_id}, platform.now() + make_interval(mins => ${p.minutes}))`,
)
const endLink = statement<{ token_hash: string }, unknown>(
  (p) => sql`delete from identity.password_resets where token_hash = ${p.token_hash}`,
)

export const findAccount = (ctx: BrandCtx, person_id: number) => ctx.db.first(account, { person_id })
/** Taken first by everything that replaces a password, so that changes are serialized. */
export const lockPerson = (ctx: BrandTx | SystemTx, person_id: number) => ctx.db.run(lock, { person_id })
export const findPassword = (ctx: SystemCtx, person_id: number) => ctx.db.first(current, { person_id })
/** Nothing when it is another one by now. */
export const updatePasswordFrom = (ctx: SystemTx, change: { person_id: number; from: string; to: string }) =>
  ctx.db.run(replace, change)
export const updatePassword = (ctx: BrandTx, person_id: number, password_hash: string) =>
  ctx.db.run(set, { person_id, password_hash })
export const deleteSessions = (ctx: BrandTx, person_id: number) => ctx.db.run(endSessions, { person_id })
export const deleteLinks = (ctx: BrandTx | SystemTx, person_id: number) => ctx.db.run(endLinks, { person_id })
export const insertLink = (ctx: BrandTx, link: { person_id: number; token_hash: string; minutes: number }) =>
  ctx.db.run(addLink, link)
export const deleteLink = (ctx: BrandCtx, token_hash: string) => ctx.db.run(endLink, { token_hash })
