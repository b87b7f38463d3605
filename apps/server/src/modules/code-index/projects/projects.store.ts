import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'

export interface ProjectRow {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly updated_at: string
  readonly archived_at: string | null
}
type Id = { readonly id: string }

const columns = 'id, name, created_at, updated_at, archived_at'

const one = (p: Named<Id & { brand_id: number }>) =>
  sql`select ${columns} from code_index.projects where brand_id = ${p.brand_id} and id = ${p.id}`
const find = brandStatement<Id, ProjectRow>(one)
const lock = brandStatement<Id, ProjectRow>((p) => sql`${one(p)} for no key update`)

interface Page {
  readonly before: string
  readonly limit: number
}
const listOpen = brandStatement<Page, ProjectRow>(
  (p) => sql`select ${columns} from code_index.projects
   where brand_id = ${p.brand_id} and archived_at is null and id < ${p.before}::uuid
   order by id desc limit ${p.limit}`,
)
const listArchived = brandStatement<Page, ProjectRow>(
  (p) => sql`select ${columns} from code_index.projects
   where brand_id = ${p.brand_id} and archived_at is not null and id < ${p.before}::uuid
   order by id desc limit ${p.limit}`,
)
const turn = brandStatement<object, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('code_index.projects'), ${p.brand_id})`,
)
const count = brandStatement<object, { count: number }>(
  (p) => sql`select count(*)::int as count from code_index.projects
   where brand_id = ${p.brand_id} and archived_at is null`,
)
const add = brandStatement<Id & { name: string }, ProjectRow>(
  (p) => sql`insert into code_index.projects (brand_id, id, name) values (${p.brand_id}, ${p.id}, ${p.name})
     returning ${columns}`,
)
const rename = brandStatement<Id & { name: string }, ProjectRow>(
  (p) => sql`update code_index.projects set name = ${p.name}, updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)
const archive = brandStatement<Id & { archived: boolean }, ProjectRow>(
  (p) => sql`update code_index.projects set updated_at = platform.now(),
     archived_at = case when ${p.archived} then platform.now() end
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)

export const findProject = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const lockProject = (ctx: BrandTx, id: string) => ctx.db.first(lock, { id })
export const listProjects = (ctx: BrandCtx, archived: boolean, page: Page) =>
  ctx.db.all(archived ? listArchived : listOpen, page)
/** Creations and restorations take turns, because each counts all. */
export const lockProjectCount = (ctx: BrandTx) => ctx.db.run(turn, {})
export const countProjects = async (ctx: BrandTx): Promise<number> =>
  (await ctx.db.first(count, {}))?.count ?? 0
export const insertProject = (ctx: BrandTx, project: Id & { readonly name: string }) =>
  ctx.db.first(add, project)
export const updateName = (ctx: BrandTx, id: string, name: string) => ctx.db.first(rename, { id, name })
export const updateArchived = (ctx: BrandTx, id: string, archived: boolean) =>
  ctx.db.first(archive, { id, archived })
