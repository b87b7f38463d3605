import type { SystemTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

interface StaffRow {
  readonly id: number
  readonly is_staff: boolean
}

// Always in id order, so that two removals wait for each other instead of deadlocking. After the wait, only current
// staff is visible.
const lockAll = statement<Record<never, never>, { id: number }>(
  () => sql`select id from identity.people where is_staff order by id for no key update`,
)
const set = statement<{ id: number; is_staff: boolean }, StaffRow>(
  (p) => sql`update identity.people set is_staff = ${p.is_staff}, updated_at = platform.now()
   where id = ${p.id} and kind = 'person' returning id, is_staff`,
)
const lockOne = statement<{ id: number }, { email_verified: boolean }>(
  (p) => sql`select email_verified from identity.people where id = ${p.id} and kind = 'person'
     for no key update`,
)
const byEmail = statement<{ email: string }, { id: number; email_verified: boolean }>(
  (p) => sql`select id, email_verified from identity.people where email = ${p.email}
     and kind = 'person' for no key update`,
)

export const lockStaff = async (ctx: SystemTx): Promise<number[]> =>
  (await ctx.db.all(lockAll, {})).map(({ id }) => id)
export const lockPerson = (ctx: SystemTx, id: number) => ctx.db.first(lockOne, { id })
export const updateStaff = (ctx: SystemTx, id: number, is_staff: boolean) =>
  ctx.db.first(set, { id, is_staff })
export const findPersonByEmail = (ctx: SystemTx, email: string) => ctx.db.first(byEmail, { email })
