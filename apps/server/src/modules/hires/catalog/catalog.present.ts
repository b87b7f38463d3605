import type { CatalogEmployee, CatalogEmployeeDetails } from '@crewhall/contracts/hires/catalog.ts'
import type { Employee, EmployeeDetails } from '@crewhall/contracts/hires/employees.ts'
import {
  bytesOf,
  type EmployeeContent,
  type EmployeeTemplate,
  type TemplateSummary,
} from '@crewhall/contracts/hires/template.ts'
import type { ListedRow, PublishedDetails, PublishedRow, VersionRow } from './catalog.store.ts'

export function presentEmployee(row: PublishedRow): Employee {
  const { profile_id, key, version, name, title, summary, good_at, is_builder, is_deployable } = row
  const { published_at } = row
  return {
    profile_id,
    key,
    version,
    name,
    title,
    summary,
    good_at,
    is_builder,
    is_deployable,
    published_at,
  }
}

export const presentEmployeeDetails = (row: PublishedDetails): EmployeeDetails => ({
  ...presentEmployee(row),
  description: row.description,
  template: row.template && presentTemplate(row.template),
})

const presentTemplate = (template: EmployeeTemplate): TemplateSummary => ({
  coder_profile: template.coder_profile,
  scopes: template.scopes,
  packages: template.packages,
  memory_sources: template.memory_sources,
  files: template.files.map(({ name, content }) => ({ name, bytes: bytesOf(content) })),
})

export function presentListed(row: ListedRow): CatalogEmployee {
  const { profile_id, key, status, version, draft_version, name, managed_by, revision } = row
  const { created_at, updated_at } = row
  return {
    profile_id,
    key,
    status,
    version,
    draft_version,
    name,
    managed_by,
    revision,
    created_at,
    updated_at,
  }
}

/** Undefined when the employee does not exist. */
export function presentVersions(rows: readonly VersionRow[]): CatalogEmployeeDetails | undefined {
  const draft = rows.find(({ is_draft }) => is_draft)
  const published = rows.find(({ is_draft }) => !is_draft)
  const row = draft ?? published
  return (
    row && {
      ...presentListed({ ...row, draft_version: draft?.content_version ?? null }),
      published: published ? presentContent(published) : null,
      draft: draft ? presentContent(draft) : null,
    }
  )
}

export function presentContent(row: EmployeeContent): EmployeeContent {
  const { name, title, summary, description, good_at, is_builder, template } = row
  return { name, title, summary, description, good_at, is_builder, template }
}
