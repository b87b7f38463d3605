import * as contract from '@crewhall/contracts/conversations/rollback.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './rollback.service.ts'

export const rollbackRoutes = (cursors: Cursors) => [
  handle(contract.rollBackSource, (ctx, { params, body }) =>
    service.rollBackSource(ctx, cursors, params.source_id, body),
  ),
  handle(contract.rollBackConversation, (ctx, { params, body }) =>
    service.rollBackConversation(ctx, cursors, params.conversation_id, body),
  ),
]
