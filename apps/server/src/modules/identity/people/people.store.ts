import { foldAddress } from '@crewhall/contracts/folding.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface PersonRow {
  readonly id: number
  readonly email: string
  readonly full_name: string
  readonly image: string | null
}

const columns = 'id, email, full_name, image'

const byIds = sqlStatement<{ ids: readonly number[] }, PersonRow>(
  `select ${columns} from identity.people where id = any($1::int[]) order by id`,
  'ids',
)
const byEmail = sqlStatement<{ email: string }, PersonRow>(
  `select ${columns} from identity.people where email = $1`,
  'email',
)
const lockByEmail = sqlStatement<{ email: string }, PersonRow & { email_verified: boolean }>(
  `select ${columns}, email_verified from identity.people where email = lower($1) for no key update`,
  'email',
)
const accountByEmail = sqlStatement<{ email: string }, { id: number; has_password: boolean }>(
  `select p.id, exists (select 1 from identity.passwords w where w.person_id = p.id) as has_password
   from identity.people p where p.email = $1`,
  'email',
)
const another = sqlStatement<{ email: string; person_id: number }, { id: number }>(
  'select id from identity.people where email = $1 and id <> $2',
  'email',
  'person_id',
)
const move = sqlStatement<{ person_id: number; former: readonly string[]; to: string }, unknown>(
  `update identity.people set email = $3, updated_at = platform.now() where id = $1 and email = any($2::text[])`,
  'person_id',
  'former',
  'to',
)
// Somebody who is known without a password, such as a guest, becomes an account; an account is left alone.
const register = sqlStatement<{ email: string; full_name: string }, { id: number }>(
  `insert into identity.people as p (email, full_name, email_verified) values ($1, $2, true)
   on conflict (email) do update
     set full_name = excluded.full_name, email_verified = true, updated_at = platform.now()
     where p.kind = 'person' and not exists (select 1 from identity.passwords w where w.person_id = p.id)
   returning p.id`,
  'email',
  'full_name',
)
const addPassword = sqlStatement<{ person_id: number; password_hash: string }, unknown>(
  `insert into identity.passwords (person_id, password_hash) values ($1, $2) on conflict (person_id) do nothing`,
  'person_id',
  'password_hash',
)
// People stand outside all workspaces, so any context may ask for those it already knows.
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
