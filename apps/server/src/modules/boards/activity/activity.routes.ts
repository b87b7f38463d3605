import { listActivity } from '@crewhall/contracts/boards/activity.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { handle } from '#platform/http/handle.ts'
import { ListAnswer } from '#platform/http/list-answer.ts'
import { readActivity } from './activity.service.ts'

export const activityRoutes = (cursors: Cursors) => [
  handle(listActivity, async (ctx, { params, query }) => {
    const { items, ...head } = await readActivity(ctx, cursors, params.board_id, query)
    return ListAnswer.of(head, items)
  }),
]
