import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

type OfHire = { readonly hire_id: string }

export interface RemovalRow {
  readonly brand_id: number
  readonly hire_id: string
  /** Tries that failed; once it is removed, looks whether it is still gone. */
  readonly tries: number
  readonly is_removed: boolean
}

const add = brandStatement<OfHire & { directory: string; seconds: number }, unknown>(
  (p) => sql`insert into hires.removals (brand_id, hire_id, directory, next_try_at)
   values (${p.brand_id}, ${p.hire_id}, ${p.directory}, platform.now() + make_interval(secs => ${p.seconds}))
   on conflict do nothing`,
)
// A worker that dies with them holds them up for as long as its lease.
const claim = statement<{ limit: number; seconds: number }, RemovalRow>(
  (p) => sql`update hires.removals r set next_try_at = platform.now() + make_interval(secs => ${p.seconds})
   from (select brand_id, hire_id from hires.removals where next_try_at <= platform.now()
     order by next_try_at limit ${p.limit} for update skip locked) due
   where r.brand_id = due.brand_id and r.hire_id = due.hire_id
   returning r.brand_id, r.hire_id, r.tries, r.removed_at is not null as is_removed`,
)
const defer = brandStatement<OfHire & { tries: number; seconds: number }, unknown>(
  (p) => sql`update hires.removals set tries = ${p.tries},
     next_try_at = platform.now() + make_interval(secs => ${p.seconds})
   where brand_id = ${p.brand_id} and hire_id = ${p.hire_id}`,
)
const note = brandStatement<OfHire & { seconds: number }, unknown>(
  (p) => sql`update hires.removals set removed_at = platform.now(), tries = 0,
     next_try_at = platform.now() + make_interval(secs => ${p.seconds})
   where brand_id = ${p.brand_id} and hire_id = ${p.hire_id} and removed_at is null`,
)
const remove = brandStatement<OfHire, unknown>(
  (p) => sql`delete from hires.removals where brand_id = ${p.brand_id} and hire_id = ${p.hire_id}`,
)
const removeRecord = brandStatement<OfHire, unknown>(
  (p) => sql`delete from hires.management_records where brand_id = ${p.brand_id} and hire_id = ${p.hire_id}`,
)

export const insertRemoval = (ctx: BrandTx, removal: OfHire & { directory: string; seconds: number }) =>
  ctx.db.run(add, removal)
/** Nobody else gets them for so many seconds. */
export const claimRemovals = (ctx: SystemCtx, limit: number, seconds: number) =>
  ctx.overBrands().db.all(claim, { limit, seconds })
export const updateDeferred = (ctx: BrandCtx, hire_id: string, tries: number, seconds: number) =>
  ctx.db.run(defer, { hire_id, tries, seconds })
export const updateRemoved = (ctx: BrandTx, hire_id: string, seconds: number) =>
  ctx.db.run(note, { hire_id, seconds })
export const deleteRemoval = (ctx: BrandCtx, hire_id: string) => ctx.db.run(remove, { hire_id })
export const deleteManagementRecord = (ctx: BrandTx, hire_id: string) => ctx.db.run(removeRecord, { hire_id })
