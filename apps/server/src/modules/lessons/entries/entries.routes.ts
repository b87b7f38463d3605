import * as contract from '@crewhall/contracts/lessons/entries.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './entries.service.ts'

export const entryRoutes = (cursors: Cursors) => [
  handle(contract.listLessons, (ctx, { params, query }) =>
    service.listLessonPage(ctx, cursors, params.project_id, query),
  ),
  handle(contract.getLesson, (ctx, { params, query }) => service.getLesson(ctx, params.project_id, query.id)),
  handle(contract.listStale, (ctx, { params }) => service.listStaleByArea(ctx, params.project_id)),
]
