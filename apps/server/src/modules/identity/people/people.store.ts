import { foldAddress } from '@crewhall/contracts/folding.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface PersonRow {
  readonly id: number
  readonly email: string
  readonly full_name: string
  readonly image: string | null
}

const columns = 'id, email, full_name, image'

const byIds = statement<{ ids: readonly number[] }, PersonRow>(
  (p) => sql`select ${columns} from identity.people where id = any(${p.ids}::int[]) order by id`,
)
const byEmail = statement<{ email: string }, PersonRow>(
  (p) => sql`select ${columns} from identity.people where email = ${p.email} and kind = 'person'`,
)
const lockByEmail = statement<{ email: string }, PersonRow & { email_verified: boolean }>(
  (p) => sql`select ${columns}, email_verified from identity.people
     where email = lower(${p.email}) and kind = 'person' for no key update`,
)
const accountByEmail = statement<{ email: string }, { id: number; has_password: boolean }>(
  (p) => sql`select p.id, exists (select 1 from identity.passwords w where w.person_id = p.id) as has_password
   from identity.people p where p.email = ${p.email} and p.kind = 'person'`,
)
const another = statement<{ email: string; person_id: number }, { id: number }>(
  (p) => sql`select id from identity.people where email = ${p.email} and id <> ${p.person_id}`,
)
const move = statement<{ person_id: number; former: readonly string[]; to: string }, unknown>(
  (p) => sql`update identity.people set email = ${p.to}, updated_at = platform.now() where id = ${p.person_id}
     and email = any(${p.former}::text[])`,
)
// A person without a password, such as an invited one, becomes an account; existing accounts stay unchanged.
const register = statement<{ email: string; full_name: string }, { id: number }>(
  (p) => sql`insert into identity.people as p (email, full_name, email_verified)
     values (${p.email}, ${p.full_name}, true)
   on conflict (email) do update
     set full_name = excluded.full_name, email_verified = true, updated_at = platform.now()
     where p.kind = 'person' and not exists (select 1 from identity.passwords w where w.person_id = p.id)
   returning p.id`,
)
const addPassword = statement<{ person_id: number; password_hash: string }, unknown>(
  (p) => sql`insert into identity.passwords (person_id, password_hash)
     values (${p.person_id}, ${p.password_hash}) on conflict (person_id) do nothing`,
)
// People belong to no workspace, so any context may read those whose ids it knows.
type AnyCtx = BrandCtx | SystemCtx

export const listPeopleByIds = (ctx: AnyCtx, ids: readonly number[]) => ctx.db.all(byIds, { ids })
export const findPersonByEmail = (ctx: AnyCtx, email: string) =>
  ctx.db.first(byEmail, { email: foldAddress(email) })
export const lockPersonByEmail = (ctx: BrandTx, email: string) => ctx.db.first(lockByEmail, { email })
export const findAccountByEmail = (ctx: AnyCtx, email: string) =>
  ctx.db.first(accountByEmail, { email: foldAddress(email) })
export const findAnotherByEmail = (ctx: AnyCtx, email: string, person_id: number) =>
  ctx.db.first(another, { email, person_id })
export const updateEmail = (
  ctx: AnyCtx,
  moved: { person_id: number; former: readonly string[]; to: string },
) => ctx.db.run(move, moved)
export const insertOrCompletePerson = (ctx: BrandTx, email: string, full_name: string) =>
  ctx.db.first(register, { email, full_name })
export const insertPassword = (ctx: BrandTx, person_id: number, password_hash: string) =>
  ctx.db.run(addPassword, { person_id, password_hash })
