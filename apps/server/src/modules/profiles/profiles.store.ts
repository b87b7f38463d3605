import type { ProfileChange } from '@crewhall/contracts/profiles/coder-profiles.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { Overrides, SettingChange } from './overrides.rules.ts'

/** Either a changed profile or a closed coder. */
export interface ChoiceRow extends Overrides {
  readonly profile_key: string | null
  readonly closed_coder: string | null
}

// At most one row for each profile and coder of the catalog, so there is nothing to page.
const choices = brandStatement<object, ChoiceRow>(
  (p) => sql`select profile_key, model, effort, limit_value, null as closed_coder
   from profiles.overrides where brand_id = ${p.brand_id}
   union all
   select null, null, null, null, coder from profiles.closed_coders where brand_id = ${p.brand_id}`,
)
// Makes the row when it is missing, so that there is something to lock: two first changes at once would each
// find nothing and one would be lost.
const lock = brandStatement<{ profile_key: string }, Overrides>(
  (p) => sql`insert into profiles.overrides (brand_id, profile_key) values (${p.brand_id}, ${p.profile_key})
   on conflict on constraint overrides_pkey do update set profile_key = excluded.profile_key
   returning model, effort, limit_value`,
)
const lockExisting = brandStatement<{ profile_key: string }, Overrides>(
  (p) => sql`select model, effort, limit_value from profiles.overrides where brand_id = ${p.brand_id}
     and profile_key = ${p.profile_key} for update`,
)
const update = brandStatement<Overrides & { profile_key: string }, unknown>(
  (p) => sql`update profiles.overrides set model = ${p.model}, effort = ${p.effort},
     limit_value = ${p.limit_value}
   where brand_id = ${p.brand_id} and profile_key = ${p.profile_key}`,
)
interface NewChange extends SettingChange {
  readonly profile_key: string
  readonly actor_user_id: number
  readonly actor_role: string
}
const addChange = brandStatement<NewChange, unknown>(
  (p) => sql`insert into profiles.changes (brand_id, profile_key, field, old_value, new_value, actor_user_id,
     actor_role)
   values (${p.brand_id}, ${p.profile_key}, ${p.field}, ${p.old_value},
     ${p.new_value}, ${p.actor_user_id}, ${p.actor_role})`,
)
// PROF-36: ids are assigned under the lock of the profile, so they also order changes with equal times.
const history = brandStatement<{ profile_key: string; before: number; limit: number }, ProfileChange>(
  (p) => sql`select id, profile_key, field, old_value, new_value, actor_user_id, actor_role, created_at
   from profiles.changes where brand_id = ${p.brand_id} and profile_key = ${p.profile_key} and id < ${p.before}
     order by id desc limit ${p.limit}`,
)
const close = brandStatement<{ coder: string }, unknown>(
  (p) => sql`insert into profiles.closed_coders (brand_id, coder) values (${p.brand_id}, ${p.coder})
     on conflict do nothing`,
)
const open = brandStatement<{ coder: string }, unknown>(
  (p) => sql`delete from profiles.closed_coders where brand_id = ${p.brand_id} and coder = ${p.coder}`,
)

export const listChoices = (ctx: BrandCtx) => ctx.db.all(choices, {})
export const lockOverrides = (ctx: BrandTx, profile_key: string) => ctx.db.first(lock, { profile_key })
/** Undefined when nothing was ever changed in it. */
export const lockExistingOverrides = (ctx: BrandTx, profile_key: string) =>
  ctx.db.first(lockExisting, { profile_key })
export const updateOverrides = (ctx: BrandTx, profile_key: string, overrides: Overrides) =>
  ctx.db.run(update, { profile_key, ...overrides })
export const insertChange = (ctx: BrandTx, change: NewChange) => ctx.db.run(addChange, { ...change })
export const listChanges = (
  ctx: BrandCtx,
  page: { profile_key: string; before: number; limit: number },
): Promise<ProfileChange[]> => ctx.db.all(history, { ...page })
/** The row count shows whether anything changed. */
export const insertClosedCoder = (ctx: BrandTx, coder: string) => ctx.db.run(close, { coder })
export const deleteClosedCoder = (ctx: BrandTx, coder: string) => ctx.db.run(open, { coder })
