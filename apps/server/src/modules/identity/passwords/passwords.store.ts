import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
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
     where w.person_id = p.id) as has_password,
          identity.count_workspaces(p.id) as workspaces
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
export const lockPerson = (ctx: BrandTx, person_id: number) => ctx.db.run(lock, { person_id })
export const updatePassword = (ctx: BrandTx, person_id: number, password_hash: string) =>
  ctx.db.run(set, { person_id, password_hash })
export const deleteSessions = (ctx: BrandTx, person_id: number) => ctx.db.run(endSessions, { person_id })
export const deleteLinks = (ctx: BrandTx, person_id: number) => ctx.db.run(endLinks, { person_id })
export const insertLink = (ctx: BrandTx, link: { person_id: number; token_hash: string; minutes: number }) =>
  ctx.db.run(addLink, link)
export const deleteLink = (ctx: BrandCtx, token_hash: string) => ctx.db.run(endLink, { token_hash })
