import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface PageEntryRow {
  readonly id: string
  readonly title: string
  readonly author_id: number
  readonly author_name: string
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}
export interface PageRow extends PageEntryRow {
  readonly body: string
}
interface Place {
  readonly space_id: string
  readonly id: string
}
type InBrand<T> = T & { readonly brand_id: number }

const entry = 'id, title, author_id, author_name, version, created_at, updated_at'
const whole = `${entry}, body`

const list = sqlStatement<InBrand<{ space_id: string; after: string; limit: number }>, PageEntryRow>(
  `select ${entry} from docs_spaces.pages
   where brand_id = $1 and space_id = $2 and id > $3 order by id limit $4`,
  'brand_id',
  'space_id',
  'after',
  'limit',
)
const one = sqlStatement<InBrand<Place>, PageRow>(
  `select ${whole} from docs_spaces.pages where brand_id = $1 and space_id = $2 and id = $3`,
  'brand_id',
  'space_id',
  'id',
)
const count = sqlStatement<InBrand<{ space_id: string }>, { count: number }>(
  'select count(*)::int as count from docs_spaces.pages where brand_id = $1 and space_id = $2',
  'brand_id',
  'space_id',
)
interface NewRow extends Place {
  readonly title: string
  readonly body: string
  readonly author_id: number
  readonly author_name: string
}
const add = sqlStatement<InBrand<NewRow>, PageRow>(
  `insert into docs_spaces.pages (brand_id, space_id, id, title, body, author_id, author_name)
   values ($1, $2, $3, $4, $5, $6, $7) returning ${whole}`,
  'brand_id',
  'space_id',
  'id',
  'title',
  'body',
  'author_id',
  'author_name',
)
interface Change extends Place {
  readonly title: string | null
  readonly body: string | null
  readonly if_version: number | null
}
// Version and text in one statement: of two changes of one version, the second finds another one.
const change = sqlStatement<InBrand<Change>, PageRow>(
  `update docs_spaces.pages set title = coalesce($4, title), body = coalesce($5, body), version = version + 1,
     updated_at = platform.now()
   where brand_id = $1 and space_id = $2 and id = $3 and ($6::int is null or version = $6) returning ${whole}`,
  'brand_id',
  'space_id',
  'id',
  'title',
  'body',
  'if_version',
)
const remove = sqlStatement<InBrand<Place>, unknown>(
  'delete from docs_spaces.pages where brand_id = $1 and space_id = $2 and id = $3',
  'brand_id',
  'space_id',
  'id',
)

export const listPages = (ctx: BrandCtx, wanted: { space_id: string; after: string; limit: number }) =>
  ctx.db.all(list, { brand_id: ctx.brandId, ...wanted })
export const findPage = (ctx: BrandCtx, { space_id, id }: Place) =>
  ctx.db.first(one, { brand_id: ctx.brandId, space_id, id })
export const countPages = async (ctx: BrandTx, space_id: string): Promise<number> =>
  (await ctx.db.first(count, { brand_id: ctx.brandId, space_id }))?.count ?? 0
export const insertPage = (ctx: BrandTx, page: NewRow) =>
  ctx.db.first(add, { brand_id: ctx.brandId, ...page })
export const updatePage = (ctx: BrandCtx, page: Change) =>
  ctx.db.first(change, { brand_id: ctx.brandId, ...page })
export const deletePage = (ctx: BrandCtx, { space_id, id }: Place) =>
  ctx.db.run(remove, { brand_id: ctx.brandId, space_id, id })
