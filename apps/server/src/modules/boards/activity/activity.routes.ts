import { listActivity } from '@crewhall/contracts/boards/activity.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { handle } from '#platform/http/handle.ts'
import { readActivity } from './activity.service.ts'

export const activityRoutes = (cursors: Cursors) => [
  handle(listActivity, (ctx, { params, query }) => readActivity(ctx, cursors, params.board_id, query)),
]
