import type { ProfileChange } from '@crewhall/contracts/profiles/coder-profiles.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'
import type { Change, Overrides } from './overrides.rules.ts'

/** Either a changed profile or a closed coder. */
export interface ChoiceRow extends Overrides {
  readonly profile_key: string | null
  readonly closed_coder: string | null
}

// At most one row for each profile and coder of the catalog, so there is nothing to page.
const choices = sqlStatement<{ brand_id: number }, ChoiceRow>(
  `select profile_key, model, effort, limit_value, null as closed_coder
   from profiles.overrides where brand_id = $1
   union all
   select null, null, null, null, coder from profiles.closed_coders where brand_id = $1`,
  'brand_id',
)
// Makes the row when it is missing, so that there is something to lock: two first changes at once would each
// find nothing and one would be lost.
const lock = sqlStatement<{ brand_id: number; profile_key: string }, Overrides>(
  `insert into profiles.overrides (brand_id, profile_key) values ($1, $2)
   on conflict on constraint overrides_pkey do update set profile_key = excluded.profile_key
   returning model, effort, limit_value`,
  'brand_id',
  'profile_key',
)
const lockExisting = sqlStatement<{ brand_id: number; profile_key: string }, Overrides>(
  `select model, effort, limit_value from profiles.overrides where brand_id = $1 and profile_key = $2 for update`,
  'brand_id',
  'profile_key',
)
const update = sqlStatement<Overrides & { brand_id: number; profile_key: string }, unknown>(
  `update profiles.overrides set model = $3, effort = $4, limit_value = $5
   where brand_id = $1 and profile_key = $2`,
  'brand_id',
  'profile_key',
  'model',
  'effort',
  'limit_value',
)
interface NewChange extends Change {
  readonly profile_key: string
  readonly actor_user_id: number
  readonly actor_role: string
}
const addChange = sqlStatement<NewChange & { brand_id: number }, unknown>(
  `insert into profiles.changes (brand_id, profile_key, field, old_value, new_value, actor_user_id, actor_role)
   values ($1, $2, $3, $4, $5, $6, $7)`,
  'brand_id',
  'profile_key',
  'field',
  'old_value',
  'new_value',
  'actor_user_id',
  'actor_role',
)
// PROF-36: ids are given out under the lock of the profile, so they order changes of one time too.
const history = sqlStatement<
  { brand_id: number; profile_key: string; before: number; limit: number },
  ProfileChange
>(
  `select id, profile_key, field, old_value, new_value, actor_user_id, actor_role, created_at
   from profiles.changes where brand_id = $1 and profile_key = $2 and id < $3 order by id desc limit $4`,
  'brand_id',
  'profile_key',
  'before',
  'limit',
)
const close = sqlStatement<{ brand_id: number; coder: string }, unknown>(
  'insert into profiles.closed_coders (brand_id, coder) values ($1, $2) on conflict do nothing',
  'brand_id',
  'coder',
)
const open = sqlStatement<{ brand_id: number; coder: string }, unknown>(
  'delete from profiles.closed_coders where brand_id = $1 and coder = $2',
  'brand_id',
  'coder',
)

export const listChoices = (ctx: BrandCtx) => ctx.db.all(choices, { brand_id: ctx.brandId })
export const lockOverrides = (ctx: BrandTx, profile_key: string) =>
  ctx.db.first(lock, { brand_id: ctx.brandId, profile_key })
/** Undefined when nothing was ever changed in it. */
export const lockExistingOverrides = (ctx: BrandTx, profile_key: string) =>
  ctx.db.first(lockExisting, { brand_id: ctx.brandId, profile_key })
export const updateOverrides = (ctx: BrandTx, profile_key: string, overrides: Overrides) =>
  ctx.db.run(update, { brand_id: ctx.brandId, profile_key, ...overrides })
export const insertChange = (ctx: BrandTx, change: NewChange) =>
  ctx.db.run(addChange, { brand_id: ctx.brandId, ...change })
export const listChanges = (
  ctx: BrandCtx,
  page: { profile_key: string; before: number; limit: number },
): Promise<ProfileChange[]> => ctx.db.all(history, { brand_id: ctx.brandId, ...page })
/** The number of rows tells whether that changed anything. */
export const insertClosedCoder = (ctx: BrandTx, coder: string) =>
  ctx.db.run(close, { brand_id: ctx.brandId, coder })
export const deleteClosedCoder = (ctx: BrandTx, coder: string) =>
  ctx.db.run(open, { brand_id: ctx.brandId, coder })
