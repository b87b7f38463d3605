import { listWorkingNow } from '@crewhall/contracts/boards/working-now.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { handle } from '#platform/http/handle.ts'
import { readWorkingNow } from './working-now.service.ts'

export const workingNowRoutes = (cursors: Cursors) => [
  handle(listWorkingNow, (ctx, { query }) => readWorkingNow(ctx, cursors, query)),
]
