import { randomUUIDv7 } from 'node:crypto'
import type { Project } from '@crewhall/contracts/code-index/projects.ts'
import * as refused from '@crewhall/contracts/code-index/refusals.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { findRepository, listRepositories } from '../repositories/repositories.store.ts'
import { presentProject } from './projects.present.ts'
import * as store from './projects.store.ts'

/** After every id that there is. */
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

interface ListQuery {
  readonly archived?: boolean | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

export async function listProjectPage(ctx: BrandCtx, cursors: Cursors, query: ListQuery) {
  const { archived = false, limit, cursor } = query
  const list = `projects:${ctx.brandId}:${archived}`
  const before = cursor === undefined ? newest : cursors.read(list, cursor)
  if (before === undefined) throw refused.unknownCursor()
  const rows = await store.listProjects(ctx, archived, { before, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const attached = await listRepositories(
    ctx,
    page.map(({ id }) => id),
  )
  const byProject = new Map(attached.map((each) => [each.project_id, each]))
  return {
    projects: page.map((row) => presentProject(row, byProject.get(row.id))),
    next_cursor: last && rows.length > limit ? cursors.issue(list, last.id) : null,
  }
}

export async function getProject(ctx: BrandCtx, id: string): Promise<Project> {
  return presented(ctx, found(await store.findProject(ctx, id)))
}

/** Also an archived one. */
export const isProject = async (ctx: BrandCtx, id: string): Promise<boolean> =>
  (await store.findProject(ctx, id)) !== undefined

export const openProject = (ctx: BrandCtx, name: string): Promise<Project> =>
  ctx.tx(async (ctx) => {
    await refuseTooMany(ctx)
    const row = found(await store.insertProject(ctx, { id: randomUUIDv7(), name }))
    await tell(ctx, 'created', null, row)
    return presented(ctx, row)
  })

export const renameProject = (ctx: BrandCtx, id: string, name: string): Promise<Project> =>
  ctx.tx(async (ctx) => {
    const before = await lockOpenProject(ctx, id)
    if (before.name === name) return presented(ctx, before)
    const row = found(await store.updateName(ctx, id, name))
    await tell(ctx, 'renamed', before, row)
    return presented(ctx, row)
  })

export const archiveProject = (ctx: BrandCtx, id: string, archived: boolean): Promise<Project> =>
  ctx.tx(async (ctx) => {
    // Before any project is locked, as where one is created.
    if (!archived) await store.lockProjectCount(ctx)
    const before = found(await store.lockProject(ctx, id))
    if ((before.archived_at !== null) === archived) return presented(ctx, before)
    if (!archived) await refuseTooMany(ctx)
    const row = found(await store.updateArchived(ctx, id, archived))
    await tell(ctx, archived ? 'archived' : 'restored', before, row)
    return presented(ctx, row)
  })

/** Every change of what belongs to a project begins here. */
export async function lockOpenProject(ctx: BrandTx, id: string): Promise<store.ProjectRow> {
  const row = found(await store.lockProject(ctx, id))
  if (row.archived_at !== null) throw refused.projectArchived()
  return row
}

const presented = async (ctx: BrandCtx, row: store.ProjectRow): Promise<Project> =>
  presentProject(row, await findRepository(ctx, row.id))

/** Archived projects do not count. */
async function refuseTooMany(ctx: BrandTx): Promise<void> {
  await store.lockProjectCount(ctx)
  if ((await store.countProjects(ctx)) >= refused.maxProjects) throw refused.projectLimit()
}

async function tell(
  ctx: BrandTx,
  what: 'created' | 'renamed' | 'archived' | 'restored',
  before: store.ProjectRow | null,
  { id, name, archived_at }: store.ProjectRow,
): Promise<void> {
  await ctx.emit({ type: `project.${what}`, subject_id: id, data: { project_id: id } })
  const from = before && { name: before.name, archived_at: before.archived_at }
  await ctx.audit({ action: `project.${what}`, target: `project:${id}`, from, to: { name, archived_at } })
}

function found(row: store.ProjectRow | undefined): store.ProjectRow {
  if (!row) throw refused.projectNotFound()
  return row
}
