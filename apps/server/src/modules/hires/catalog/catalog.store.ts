import type { EmployeeManager, EmployeeStatus } from '@crewhall/contracts/hires/catalog.ts'
import type { EmployeeContent, EmployeeTemplate } from '@crewhall/contracts/hires/template.ts'
import type { BrandCtx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

export interface PublishedRow {
  readonly profile_id: string
  readonly key: string
  readonly version: number
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly good_at: string[]
  readonly is_builder: boolean
  readonly is_deployable: boolean
  readonly published_at: string
}
export type PublishedDetails = PublishedRow & {
  readonly description: string
  readonly template: EmployeeTemplate | null
}
export interface EmployeeRow {
  readonly profile_id: string
  readonly key: string
  readonly status: EmployeeStatus
  readonly version: number | null
  readonly managed_by: EmployeeManager
  readonly revision: number
}
export type ListedRow = EmployeeRow & {
  readonly draft_version: number | null
  readonly name: string
  readonly created_at: string
  readonly updated_at: string
}
/** An employee and one of its versions. */
export type VersionRow = EmployeeRow &
  EmployeeContent & {
    readonly content_version: number
    readonly is_draft: boolean
    readonly created_at: string
    readonly updated_at: string
  }
interface Page {
  readonly after: string
  readonly limit: number
}

// The template is left where it is: it may be large, and a list shows only whether there is one.
const publishedColumns = `e.profile_id, e.key, v.version, v.name, v.title, v.summary, v.good_at, v.is_builder,
   v.template is not null as is_deployable, v.published_at`
const published = `hires.employees e join hires.employee_versions v
   on v.profile_id = e.profile_id and v.version = e.version`
const publishedPage = statement<Page, PublishedRow>(
  (p) => sql`select ${publishedColumns} from ${published}
   where e.status = 'published' and e.key > ${p.after} order by e.key limit ${p.limit}`,
)
const publishedOne = statement<{ profile_id: string }, PublishedDetails>(
  (p) => sql`select ${publishedColumns}, v.description, v.template from ${published}
   where e.status = 'published' and e.profile_id = ${p.profile_id}`,
)

const employeeColumns = 'e.profile_id, e.key, e.status, e.version, e.managed_by, e.revision'
const listed = `select ${employeeColumns}, d.version as draft_version, coalesce(d.name, v.name) as name,
     e.created_at, e.updated_at
   from hires.employees e
   left join hires.employee_versions v on v.profile_id = e.profile_id and v.version = e.version
   left join hires.employee_versions d on d.profile_id = e.profile_id and d.published_at is null`
const page = statement<Page, ListedRow>(
  (p) => sql`${listed} where e.key > ${p.after} order by e.key limit ${p.limit}`,
)
const pageOfStatus = statement<Page & { status: string }, ListedRow>(
  (p) => sql`${listed} where e.status = ${p.status} and e.key > ${p.after} order by e.key limit ${p.limit}`,
)

const contentColumns = 'name, title, summary, description, good_at, is_builder, template'
// The version that is seen and the draft, of one snapshot: at most two rows.
const versions = statement<{ profile_id: string }, VersionRow>(
  (p) => sql`select ${employeeColumns}, e.created_at, e.updated_at, v.version as content_version,
     v.published_at is null as is_draft, ${contentColumns}
   from hires.employees e join hires.employee_versions v
     on v.profile_id = e.profile_id and (v.version = e.version or v.published_at is null)
   where e.profile_id = ${p.profile_id}`,
)
// Versions are read by a second statement: one that waited for the lock would still see those of before.
const lock = statement<{ profile_id: string }, EmployeeRow>(
  (p) =>
    sql`select ${employeeColumns} from hires.employees e where e.profile_id = ${p.profile_id} for update`,
)
const lockKey = statement<{ key: string }, EmployeeRow>(
  (p) => sql`select ${employeeColumns} from hires.employees e where e.key = ${p.key} for update`,
)
const add = statement<{ profile_id: string; key: string; managed_by: EmployeeManager }, unknown>(
  (p) => sql`insert into hires.employees (profile_id, key, managed_by)
   values (${p.profile_id}, ${p.key}, ${p.managed_by}) on conflict do nothing`,
)

type DraftParams = Omit<EmployeeContent, 'template'> & {
  readonly profile_id: string
  readonly template: string | null
}
const putDraft = statement<DraftParams, unknown>(
  (p) => sql`insert into hires.employee_versions as d (profile_id, version, ${contentColumns})
   select ${p.profile_id}::uuid, coalesce(max(version), 0) + 1, ${p.name}, ${p.title}, ${p.summary}, ${p.description},
     ${p.good_at}::text[], ${p.is_builder}::boolean, ${p.template}::jsonb
   from hires.employee_versions where profile_id = ${p.profile_id}
   on conflict (profile_id) where published_at is null do update set name = excluded.name, title = excluded.title,
     summary = excluded.summary, description = excluded.description, good_at = excluded.good_at,
     is_builder = excluded.is_builder, template = excluded.template`,
)
const publish = statement<{ profile_id: string }, { version: number }>(
  (p) => sql`update hires.employee_versions set published_at = platform.now()
   where profile_id = ${p.profile_id} and published_at is null returning version`,
)
const set = statement<Pick<EmployeeRow, 'profile_id' | 'status' | 'version' | 'managed_by'>, unknown>(
  (p) => sql`update hires.employees set status = ${p.status}, version = ${p.version},
     managed_by = ${p.managed_by}, revision = revision + 1, updated_at = platform.now()
   where profile_id = ${p.profile_id}`,
)

export const listPublished = (ctx: BrandCtx, page: Page) => ctx.db.all(publishedPage, page)
export const findPublished = (ctx: BrandCtx, profile_id: string) => ctx.db.first(publishedOne, { profile_id })
export const listEmployeePage = (ctx: SystemCtx, at: Page, status: EmployeeStatus | undefined) =>
  status === undefined ? ctx.db.all(page, at) : ctx.db.all(pageOfStatus, { ...at, status })
/** The draft and the version that workspaces see; none for an employee that does not exist. */
export const listVersions = (ctx: SystemCtx, profile_id: string) => ctx.db.all(versions, { profile_id })
export const lockEmployee = (ctx: SystemTx, profile_id: string) => ctx.db.first(lock, { profile_id })
export const lockEmployeeByKey = (ctx: SystemTx, key: string) => ctx.db.first(lockKey, { key })
/** Nothing is written when id or key are in use. */
export const insertEmployee = (
  ctx: SystemTx,
  employee: { profile_id: string; key: string; managed_by: EmployeeManager },
) => ctx.db.run(add, employee)
/** Replaces the draft if there is one. The employee must be locked. */
export const upsertDraft = (ctx: SystemTx, profile_id: string, content: EmployeeContent) => {
  const { name, title, summary, description, good_at, is_builder, template } = content
  const texts = { name, title, summary, description, good_at, is_builder }
  return ctx.db.run(putDraft, { profile_id, ...texts, template: template && JSON.stringify(template) })
}
/** The number of the draft that was published. */
export const updateDraftToPublished = async (ctx: SystemTx, profile_id: string) =>
  (await ctx.db.first(publish, { profile_id }))?.version
export const updateEmployee = (
  ctx: SystemTx,
  employee: Pick<EmployeeRow, 'profile_id' | 'status' | 'version' | 'managed_by'>,
) => ctx.db.run(set, employee)
