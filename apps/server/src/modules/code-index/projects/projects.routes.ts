import * as contract from '@crewhall/contracts/code-index/projects.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './projects.service.ts'

export const projectRoutes = (cursors: Cursors) => [
  handle(contract.listProjects, (ctx, { query }) => service.listProjectPage(ctx, cursors, query)),
  handle(contract.createProject, (ctx, { body }) => service.openProject(ctx, body.name)),
  handle(contract.getProject, (ctx, { params }) => service.getProject(ctx, params.project_id)),
  handle(contract.renameProject, (ctx, { params, body }) =>
    service.renameProject(ctx, params.project_id, body.name),
  ),
  handle(contract.archiveProject, (ctx, { params }) => service.archiveProject(ctx, params.project_id, true)),
  handle(contract.restoreProject, (ctx, { params }) => service.archiveProject(ctx, params.project_id, false)),
]
