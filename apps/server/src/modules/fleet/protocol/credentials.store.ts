import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface SecretRow {
  readonly brand_id: number
  readonly desk_id: string
  /** Whether nobody has joined with it, or somebody did a moment ago. */
  readonly is_open: boolean
}
const bySecret = statement<{ digest: string }, SecretRow>(
  (p) => sql`select brand_id, desk_id,
     bound_at is null or bound_at > platform.now() - interval '30 minutes' as is_open
   from fleet.join_secrets where secret_digest = ${p.digest} and expires_at > platform.now()`,
)

export interface KeyRow {
  readonly brand_id: number
  readonly public_key: string
  readonly fingerprint: string
  readonly is_quarantined: boolean
  readonly is_released: boolean
}
const byDesk = statement<{ desk_id: string }, KeyRow>(
  (p) => sql`select brand_id, public_key, fingerprint, quarantined_at is not null as is_quarantined,
     released_at is not null as is_released
   from fleet.desk_keys where desk_id = ${p.desk_id}`,
)

// Only the key that was judged: another may have joined meanwhile.
const quarantine = brandStatement<{ id: string; fingerprint: string }, unknown>(
  (p) => sql`update fleet.desk_keys set quarantined_at = platform.now()
   where brand_id = ${p.brand_id} and desk_id = ${p.id} and fingerprint = ${p.fingerprint}
     and quarantined_at is null and released_at is null`,
)
const release = brandStatement<{ id: string }, unknown>(
  (p) => sql`update fleet.desk_keys set released_at = platform.now()
   where brand_id = ${p.brand_id} and desk_id = ${p.id} and released_at is null`,
)
const sweep = statement<{ limit: number; days: number }, unknown>(
  (p) => sql`delete from fleet.desk_keys where (brand_id, desk_id) in (
     select brand_id, desk_id from fleet.desk_keys
     where released_at < platform.now() - make_interval(days => ${p.days})
     order by released_at limit ${p.limit} for update skip locked)`,
)

export const findSecret = (ctx: SystemCtx, digest: string) => ctx.overBrands().db.first(bySecret, { digest })
export const findKey = (ctx: SystemCtx, desk_id: string) => ctx.overBrands().db.first(byDesk, { desk_id })
export const updateQuarantine = (ctx: BrandTx, id: string, fingerprint: string) =>
  ctx.db.run(quarantine, { id, fingerprint })
export const updateReleased = (ctx: BrandTx, id: string) => ctx.db.run(release, { id })
export const deleteOldKeys = (ctx: SystemCtx, limit: number, days: number) =>
  ctx.overBrands().db.run(sweep, { limit, days })
