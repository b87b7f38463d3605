import { readContext } from '@crewhall/contracts/boards/context.ts'
import { handle } from '#platform/http/handle.ts'
import { packContext } from './context.service.ts'

export const contextRoutes = [
  handle(readContext, (ctx, { params, query }) => packContext(ctx, params.task_id, query.budget_bytes)),
]
