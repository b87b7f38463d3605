import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface ViewRow {
  readonly id: string
  readonly person_id: number | null
  readonly name: string
  readonly is_shared: boolean
  readonly filters: Record<string, string>
  readonly created_at: string
  readonly updated_at: string
}

type One = { id: string }
type Of = { person_id: number }
interface Written {
  readonly name: string
  readonly is_shared: boolean
  readonly filters: string
}
const columns = 'id, person_id, name, is_shared, filters, created_at, updated_at'

// Two short walks along their indexes; both are bounded by what a member and a workspace may have.
const list = brandStatement<Of & { limit: number; offset: number }, ViewRow>(
  (p) => sql`select ${columns} from (
     select * from boards.views where brand_id = ${p.brand_id} and person_id = ${p.person_id}
     union all
     select * from boards.views where brand_id = ${p.brand_id} and is_shared and person_id is distinct from ${p.person_id}) v
   order by lower(name), id limit ${p.limit} offset ${p.offset}`,
)
const count = brandStatement<Of, { own: number; shared: number; listed: number }>(
  (p) => sql`select (count(*) filter (where person_id = ${p.person_id}))::int as own,
     (count(*) filter (where is_shared))::int as shared, count(*)::int as listed
   from boards.views where brand_id = ${p.brand_id} and (person_id = ${p.person_id} or is_shared)`,
)
const find = brandStatement<One, ViewRow>(
  (p) => sql`select ${columns} from boards.views where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const lock = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('boards.views'), ${p.brand_id})`,
)
const add = brandStatement<Of & Written, ViewRow>(
  (p) => sql`insert into boards.views (brand_id, person_id, name, is_shared, filters)
   values (${p.brand_id}, ${p.person_id}, ${p.name}, ${p.is_shared}, ${p.filters}::jsonb) returning ${columns}`,
)
const update = brandStatement<One & Written, ViewRow>(
  (
    p,
  ) => sql`update boards.views set name = ${p.name}, is_shared = ${p.is_shared}, filters = ${p.filters}::jsonb,
     updated_at = platform.clock_now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
const remove = brandStatement<One, unknown>(
  (p) => sql`delete from boards.views where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const brands = statement<Of, { brand_id: number }>(
  (p) => sql`select distinct brand_id from boards.views where person_id = ${p.person_id} order by brand_id`,
)
const removeOwn = brandStatement<Of, unknown>(
  (p) =>
    sql`delete from boards.views where brand_id = ${p.brand_id} and person_id = ${p.person_id} and not is_shared`,
)
const disown = brandStatement<Of, unknown>(
  (p) =>
    sql`update boards.views set person_id = null where brand_id = ${p.brand_id} and person_id = ${p.person_id}`,
)
const all = deletingRows('boards.views', 'id')

export const listViews = (ctx: BrandCtx, at: Of & { limit: number; offset: number }) => ctx.db.all(list, at)
export const countViews = async (ctx: BrandCtx, person_id: number) =>
  (await ctx.db.first(count, { person_id })) ?? { own: 0, shared: 0, listed: 0 }
export const findView = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
/** Writers of views come one after the other in a workspace, so that limits hold. */
export const lockViews = (ctx: BrandTx) => ctx.db.run(lock, {})
export const insertView = (ctx: BrandTx, view: Of & Written) => ctx.db.first(add, view)
export const updateView = (ctx: BrandTx, view: One & Written) => ctx.db.first(update, view)
export const deleteView = (ctx: BrandTx, id: string) => ctx.db.run(remove, { id })
export const listBrandsOfViews = async (ctx: SystemCtx, person_id: number): Promise<number[]> =>
  (await ctx.overBrands().db.all(brands, { person_id })).map(({ brand_id }) => brand_id)
/** What only this person saw is gone; what all see stays and is nobody's. */
export async function deleteViewsOf(ctx: BrandTx, person_id: number): Promise<void> {
  await ctx.db.run(removeOwn, { person_id })
  await ctx.db.run(disown, { person_id })
}
export const deleteViews = (ctx: BrandCtx, limit: number) => ctx.db.run(all, { limit })
