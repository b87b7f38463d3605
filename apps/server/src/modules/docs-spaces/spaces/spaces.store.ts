import type { Space } from '@crewhall/contracts/docs-spaces/spaces.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

const columns = 'id, name, created_at, updated_at'

const list = brandStatement<{ after: string; limit: number }, Space>(
  (p) => sql`select ${columns} from docs_spaces.spaces
   where brand_id = ${p.brand_id} and id > ${p.after} order by id limit ${p.limit}`,
)
const one = brandStatement<{ id: string }, Space>(
  (p) => sql`select ${columns} from docs_spaces.spaces where brand_id = ${p.brand_id} and id = ${p.id}`,
)
const lockOne = brandStatement<{ id: string }, Space>(
  (p) => sql`select ${columns} from docs_spaces.spaces where brand_id = ${p.brand_id}
     and id = ${p.id} for no key update`,
)
// Not deleted meanwhile; others may write into it.
const holdOne = brandStatement<{ id: string }, Space>(
  (p) => sql`select ${columns} from docs_spaces.spaces where brand_id = ${p.brand_id}
     and id = ${p.id} for key share`,
)
const lockAll = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('docs_spaces.spaces'), ${p.brand_id})`,
)
const count = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from docs_spaces.spaces where brand_id = ${p.brand_id}`,
)
const add = brandStatement<{ id: string; name: string }, Space>(
  (p) => sql`insert into docs_spaces.spaces (brand_id, id, name) values (${p.brand_id}, ${p.id}, ${p.name})
     returning ${columns}`,
)
const rename = brandStatement<{ id: string; name: string }, Space>(
  (p) => sql`update docs_spaces.spaces set name = ${p.name}, updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
const remove = brandStatement<{ id: string }, { name: string }>(
  (p) => sql`delete from docs_spaces.spaces where brand_id = ${p.brand_id} and id = ${p.id} returning name`,
)

export const listSpaces = (ctx: BrandCtx, after: string, limit: number) => ctx.db.all(list, { after, limit })
export const findSpace = (ctx: BrandCtx, id: string) => ctx.db.first(one, { id })
/** Nobody else writes into it or deletes it before this transaction has ended. */
export const lockSpace = (ctx: BrandTx, id: string) => ctx.db.first(lockOne, { id })
/** Nobody deletes it before this transaction has ended. */
export const holdSpace = (ctx: BrandTx, id: string) => ctx.db.first(holdOne, { id })
export const lockSpaces = (ctx: BrandTx) => ctx.db.run(lockAll, {})
export const countSpaces = async (ctx: BrandTx): Promise<number> =>
  (await ctx.db.first(count, {}))?.count ?? 0
export const insertSpace = (ctx: BrandTx, space: { id: string; name: string }) =>
  ctx.db.first(add, { ...space })
export const updateName = (ctx: BrandCtx, id: string, name: string) => ctx.db.first(rename, { id, name })
/** Its pages and guests go with it. */
export const deleteSpace = (ctx: BrandTx, id: string) => ctx.db.first(remove, { id })
