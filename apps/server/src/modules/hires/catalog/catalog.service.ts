import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type {
  CatalogEmployee,
  CatalogEmployeeDetails,
  EmployeeStatus,
} from '@crewhall/contracts/hires/catalog.ts'
import * as refused from '@crewhall/contracts/hires/refusals.ts'
import type { EmployeeContent } from '@crewhall/contracts/hires/template.ts'
import { notePlatform } from '#modules/identity'
import type { SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { presentContent, presentListed, presentVersions } from './catalog.present.ts'
import * as store from './catalog.store.ts'
import { nextPublication } from './publication.rules.ts'
import { findFaults } from './templates.service.ts'

interface Asked {
  readonly status?: EmployeeStatus | undefined
  readonly after?: string | undefined
  readonly limit: number
}

export async function listCatalog(
  ctx: SystemCtx,
  { status, after = '', limit }: Asked,
): Promise<{ items: CatalogEmployee[]; next_after: string | null }> {
  // One row more than asked for shows whether there is a next page.
  const rows = await store.listEmployeePage(ctx, { after, limit: limit + 1 }, status)
  const page = rows.slice(0, limit)
  return {
    items: page.map(presentListed),
    next_after: rows.length > limit ? (page.at(-1)?.key ?? null) : null,
  }
}

export async function getCatalogEmployee(
  ctx: SystemCtx,
  profile_id: string,
): Promise<CatalogEmployeeDetails> {
  const employee = presentVersions(await store.listVersions(ctx, profile_id))
  if (!employee) throw refused.employeeNotFound()
  return employee
}

export const createEmployee = (
  ctx: SystemCtx,
  { key, ...content }: EmployeeContent & { readonly key: string },
): Promise<CatalogEmployeeDetails> =>
  ctx.tx(async (ctx) => {
    const profile_id = randomUUID()
    const added = await store.insertEmployee(ctx, { profile_id, key, managed_by: 'operator' })
    if (added === 0) throw refused.employeeKeyTaken()
    await store.upsertDraft(ctx, profile_id, content)
    await notePlatform(ctx, { action: 'employee.created', to: { profile_id, key } })
    return getCatalogEmployee(ctx, profile_id)
  })

export const changeDraft = (
  ctx: SystemCtx,
  profile_id: string,
  { revision, ...content }: EmployeeContent & { readonly revision?: number | undefined },
): Promise<CatalogEmployeeDetails> =>
  ctx.tx(async (ctx) => {
    const before = await lockUnchanged(ctx, profile_id, revision)
    const { draft } = await getCatalogEmployee(ctx, profile_id)
    if (draft && isDeepStrictEqual(draft, presentContent(content))) return getCatalogEmployee(ctx, profile_id)
    await store.upsertDraft(ctx, profile_id, content)
    await store.updateEmployee(ctx, { ...before, managed_by: 'operator' })
    const after = await getCatalogEmployee(ctx, profile_id)
    await note(ctx, 'employee.draft_changed', before, after)
    return after
  })

/** Validated under the lock: what was found good is what is published. */
export const publishEmployee = (
  ctx: SystemCtx,
  profile_id: string,
  revision: number | undefined,
): Promise<CatalogEmployeeDetails> =>
  ctx.tx(async (ctx) => {
    const before = await lockUnchanged(ctx, profile_id, revision)
    const { draft, published, ...employee } = await getCatalogEmployee(ctx, profile_id)
    const next = nextPublication({ status: before.status, has_draft: draft !== null })
    if (next === 'nothing') return { ...employee, draft, published }
    const faults = await findFaults(ctx, (draft ?? published)?.template ?? null)
    if (faults.length > 0) throw refused.templateRefused(faults)
    await publishNext(ctx, before, 'operator')
    const after = await getCatalogEmployee(ctx, profile_id)
    await note(ctx, 'employee.published', before, after)
    return after
  })

export const withdrawEmployee = (ctx: SystemCtx, profile_id: string): Promise<CatalogEmployeeDetails> =>
  ctx.tx(async (ctx) => {
    const before = await lockUnchanged(ctx, profile_id, undefined)
    if (before.status === 'draft') throw refused.neverPublished()
    if (before.status === 'published') {
      await store.updateEmployee(ctx, { ...before, status: 'withdrawn', managed_by: 'operator' })
      await note(ctx, 'employee.withdrawn', before, { ...before, status: 'withdrawn' })
    }
    return getCatalogEmployee(ctx, profile_id)
  })

/** The draft if there is one, or the last version again. The employee must be locked, and its template good. */
export async function publishNext(
  ctx: SystemTx,
  employee: store.EmployeeRow,
  managed_by: store.EmployeeRow['managed_by'],
): Promise<number | null> {
  const { profile_id } = employee
  const version = (await store.updateDraftToPublished(ctx, profile_id)) ?? employee.version
  await store.updateEmployee(ctx, { profile_id, status: 'published', version, managed_by })
  return version
}

type Facts = Pick<CatalogEmployee, 'profile_id' | 'key' | 'status' | 'version'>
const factsOf = ({ profile_id, key, status, version }: Facts): Facts => ({ profile_id, key, status, version })

/** Texts stay out of the log: versions keep them. */
export const note = (ctx: SystemTx, action: string, from: Facts, to: Facts): Promise<void> =>
  notePlatform(ctx, { action, from: factsOf(from), to: factsOf(to) })

async function lockUnchanged(
  ctx: SystemTx,
  profile_id: string,
  revision: number | undefined,
): Promise<store.EmployeeRow> {
  const found = await store.lockEmployee(ctx, profile_id)
  if (!found) throw refused.employeeNotFound()
  if (revision !== undefined && revision !== found.revision) throw refused.employeeChanged()
  return found
}
