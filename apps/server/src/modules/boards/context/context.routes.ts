import { readContext } from '@crewhall/contracts/boards/context.ts'
import { handle } from '#platform/http/handle.ts'
import type { CardLessons } from '../boards.ports.ts'
import { cardIdOf } from '../cards/task-ids.service.ts'
import { packContext } from './context.service.ts'

export const contextRoutes = (lessons: () => readonly CardLessons[]) => [
  handle(readContext, async (ctx, { params, query }) =>
    packContext(ctx, lessons(), await cardIdOf(ctx, params.task_id), query),
  ),
]
