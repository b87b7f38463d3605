import type { Repository } from '@crewhall/contracts/code-index/projects.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'

export interface RepositoryRow {
  readonly project_id: string
  readonly url: string
  readonly branch: string | null
  readonly credential_kind: Repository['credential']
  /** Sealed. */
  readonly credential: Buffer | null
  readonly host_keys: string[]
  /** Another one for another address, so that a copy of the old one is never taken for the new one. */
  readonly generation: number
  readonly push_secret_set_at: string | null
  readonly attached_at: string
  readonly updated_at: string
}
type OfProject = { readonly project_id: string }

const columns = `project_id, url, branch, credential_kind, credential, host_keys, generation, push_secret_set_at,
  attached_at, updated_at`

const one = (p: Named<OfProject & { brand_id: number }>) =>
  sql`select ${columns} from code_index.repositories
   where brand_id = ${p.brand_id} and project_id = ${p.project_id}`
const find = brandStatement<OfProject, RepositoryRow>(one)
const lock = brandStatement<OfProject, RepositoryRow>((p) => sql`${one(p)} for no key update`)
const listOf = brandStatement<{ project_ids: readonly string[] }, RepositoryRow>(
  (p) => sql`select ${columns} from code_index.repositories
   where brand_id = ${p.brand_id} and project_id = any(${p.project_ids}::uuid[])`,
)
const oldest = brandStatement<object, { project_id: string }>(
  (p) => sql`select r.project_id from code_index.repositories r
   join code_index.projects j on j.brand_id = r.brand_id and j.id = r.project_id and j.archived_at is null
   where r.brand_id = ${p.brand_id} order by r.attached_at, r.project_id limit 1`,
)

export type NewRow = Pick<
  RepositoryRow,
  'project_id' | 'url' | 'branch' | 'credential_kind' | 'credential' | 'host_keys'
>
// The number of a repository that was detached is not given again: its copy may still lie on a disk.
const put = brandStatement<NewRow, RepositoryRow>(
  (p) => sql`with numbered as (
     update code_index.projects set last_generation = last_generation + 1
     where brand_id = ${p.brand_id} and id = ${p.project_id} returning last_generation)
   insert into code_index.repositories as r (brand_id, project_id, url, branch, credential_kind, credential,
     host_keys, generation)
   select ${p.brand_id}, ${p.project_id}, ${p.url}, ${p.branch}::text, ${p.credential_kind}, ${p.credential}::bytea,
     ${p.host_keys}::text[], last_generation from numbered
   on conflict (brand_id, project_id) do update set url = excluded.url, branch = excluded.branch,
     credential_kind = excluded.credential_kind, credential = excluded.credential,
     host_keys = excluded.host_keys, updated_at = platform.now(), next_check_at = platform.now(),
     generation = case when r.url = excluded.url then r.generation else excluded.generation end
   returning ${columns}`,
)
const remove = brandStatement<OfProject, RepositoryRow>(
  (
    p,
  ) => sql`delete from code_index.repositories where brand_id = ${p.brand_id} and project_id = ${p.project_id}
     returning ${columns}`,
)

export const findRepository = (ctx: BrandCtx, project_id: string) => ctx.db.first(find, { project_id })
export const lockRepository = (ctx: BrandTx, project_id: string) => ctx.db.first(lock, { project_id })
export const listRepositories = (ctx: BrandCtx, project_ids: readonly string[]) =>
  ctx.db.all(listOf, { project_ids })
export const findOldestRepository = (ctx: BrandCtx) => ctx.db.first(oldest, {})
export const insertRepository = (ctx: BrandTx, row: NewRow) => ctx.db.first(put, row)
export const deleteRepository = (ctx: BrandTx, project_id: string) => ctx.db.first(remove, { project_id })
