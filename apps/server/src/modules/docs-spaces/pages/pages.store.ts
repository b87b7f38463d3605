import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

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
interface PageRef {
  readonly space_id: string
  readonly id: string
}
type InBrand<T> = T

const entry = 'id, title, author_id, author_name, version, created_at, updated_at'
const whole = `${entry}, body`

const list = brandStatement<InBrand<{ space_id: string; after: string; limit: number }>, PageEntryRow>(
  (p) => sql`select ${entry} from docs_spaces.pages
   where brand_id = ${p.brand_id} and space_id = ${p.space_id} and id > ${p.after} order by id limit ${p.limit}`,
)
const one = brandStatement<InBrand<PageRef>, PageRow>(
  (
    p,
  ) => sql`select ${whole} from docs_spaces.pages where brand_id = ${p.brand_id} and space_id = ${p.space_id}
     and id = ${p.id}`,
)
const count = brandStatement<InBrand<{ space_id: string }>, { count: number }>(
  (p) => sql`select count(*)::int as count from docs_spaces.pages where brand_id = ${p.brand_id}
     and space_id = ${p.space_id}`,
)
interface NewRow extends PageRef {
  readonly title: string
  readonly body: string
  readonly author_id: number
  readonly author_name: string
}
const add = brandStatement<InBrand<NewRow>, PageRow>(
  (p) => sql`insert into docs_spaces.pages (brand_id, space_id, id, title, body, author_id, author_name)
   values (${p.brand_id}, ${p.space_id}, ${p.id}, ${p.title}, ${p.body}, ${p.author_id}, ${p.author_name})
     returning ${whole}`,
)
interface PageChange extends PageRef {
  readonly title: string | null
  readonly body: string | null
  readonly if_version: number | null
}
// Version and text in one statement: of two changes of one version, the second finds another one.
const change = brandStatement<InBrand<PageChange>, PageRow>(
  (p) => sql`update docs_spaces.pages set title = coalesce(${p.title}, title), body = coalesce(${p.body},
     body), version = version + 1, updated_at = platform.now()
   where brand_id = ${p.brand_id} and space_id = ${p.space_id} and id = ${p.id}
     and (${p.if_version}::int is null or version = ${p.if_version}) returning ${whole}`,
)
const remove = brandStatement<InBrand<PageRef>, unknown>(
  (p) => sql`delete from docs_spaces.pages where brand_id = ${p.brand_id} and space_id = ${p.space_id}
     and id = ${p.id}`,
)

export const listPages = (ctx: BrandCtx, wanted: { space_id: string; after: string; limit: number }) =>
  ctx.db.all(list, { ...wanted })
export const findPage = (ctx: BrandCtx, { space_id, id }: PageRef) => ctx.db.first(one, { space_id, id })
export const countPages = async (ctx: BrandTx, space_id: string): Promise<number> =>
  (await ctx.db.first(count, { space_id }))?.count ?? 0
export const insertPage = (ctx: BrandTx, page: NewRow) => ctx.db.first(add, { ...page })
export const updatePage = (ctx: BrandCtx, page: PageChange) => ctx.db.first(change, { ...page })
export const deletePage = (ctx: BrandCtx, { space_id, id }: PageRef) => ctx.db.run(remove, { space_id, id })
