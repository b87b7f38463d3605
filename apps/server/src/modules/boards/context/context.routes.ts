import { readContext } from '@crewhall/contracts/boards/context.ts'
import { handle } from '#platform/http/handle.ts'
import type { CardLessons } from '../boards.ports.ts'
import { packContext } from './context.service.ts'

export const contextRoutes = (lessons: () => readonly CardLessons[]) => [
  handle(readContext, (ctx, { params, query }) => packContext(ctx, lessons(), params.task_id, query)),
]
