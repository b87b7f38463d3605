import type { Space } from '@crewhall/contracts/docs-spaces/spaces.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

const columns = 'id, name, created_at, updated_at'

const list = sqlStatement<{ brand_id: number; after: string; limit: number }, Space>(
  `select ${columns} from docs_spaces.spaces
   where brand_id = $1 and id > $2 order by id limit $3`,
  'brand_id',
  'after',
  'limit',
)
const one = sqlStatement<{ brand_id: number; id: string }, Space>(
  `select ${columns} from docs_spaces.spaces where brand_id = $1 and id = $2`,
  'brand_id',
  'id',
)
const lockOne = sqlStatement<{ brand_id: number; id: string }, Space>(
  `select ${columns} from docs_spaces.spaces where brand_id = $1 and id = $2 for no key update`,
  'brand_id',
  'id',
)
// Not deleted meanwhile; others may write into it.
const holdOne = sqlStatement<{ brand_id: number; id: string }, Space>(
  `select ${columns} from docs_spaces.spaces where brand_id = $1 and id = $2 for key share`,
  'brand_id',
  'id',
)
const lockAll = sqlStatement<{ brand_id: number }, unknown>(
  `select pg_advisory_xact_lock(hashtext('docs_spaces.spaces'), $1)`,
  'brand_id',
)
const count = sqlStatement<{ brand_id: number }, { count: number }>(
  'select count(*)::int as count from docs_spaces.spaces where brand_id = $1',
  'brand_id',
)
const add = sqlStatement<{ brand_id: number; id: string; name: string }, Space>(
  `insert into docs_spaces.spaces (brand_id, id, name) values ($1, $2, $3) returning ${columns}`,
  'brand_id',
  'id',
  'name',
)
const rename = sqlStatement<{ brand_id: number; id: string; name: string }, Space>(
  `update docs_spaces.spaces set name = $3, updated_at = platform.now()
   where brand_id = $1 and id = $2 returning ${columns}`,
  'brand_id',
  'id',
  'name',
)
const remove = sqlStatement<{ brand_id: number; id: string }, { name: string }>(
  'delete from docs_spaces.spaces where brand_id = $1 and id = $2 returning name',
  'brand_id',
  'id',
)

export const listSpaces = (ctx: BrandCtx, after: string, limit: number) =>
  ctx.db.all(list, { brand_id: ctx.brandId, after, limit })
export const findSpace = (ctx: BrandCtx, id: string) => ctx.db.first(one, { brand_id: ctx.brandId, id })
/** Nobody else writes into it or deletes it before this transaction has ended. */
export const lockSpace = (ctx: BrandTx, id: string) => ctx.db.first(lockOne, { brand_id: ctx.brandId, id })
/** Nobody deletes it before this transaction has ended. */
export const holdSpace = (ctx: BrandTx, id: string) => ctx.db.first(holdOne, { brand_id: ctx.brandId, id })
export const lockSpaces = (ctx: BrandTx) => ctx.db.run(lockAll, { brand_id: ctx.brandId })
export const countSpaces = async (ctx: BrandTx): Promise<number> =>
  (await ctx.db.first(count, { brand_id: ctx.brandId }))?.count ?? 0
export const insertSpace = (ctx: BrandTx, space: { id: string; name: string }) =>
  ctx.db.first(add, { brand_id: ctx.brandId, ...space })
export const updateName = (ctx: BrandCtx, id: string, name: string) =>
  ctx.db.first(rename, { brand_id: ctx.brandId, id, name })
/** Its pages and guests go with it. */
export const deleteSpace = (ctx: BrandTx, id: string) => ctx.db.first(remove, { brand_id: ctx.brandId, id })
