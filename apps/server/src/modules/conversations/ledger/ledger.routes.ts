import * as contract from '@crewhall/contracts/conversations/conversations.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './ledger.service.ts'

export const ledgerRoutes = (cursors: Cursors) => [
  handle(contract.listConversations, (ctx, { query }) => service.listConversationPage(ctx, cursors, query)),
  handle(contract.getConversation, (ctx, { params }) => service.getConversation(ctx, params.conversation_id)),
  handle(contract.listMessages, (ctx, { params, query }) =>
    service.listMessagePage(ctx, params.conversation_id, query),
  ),
  handle(contract.retryConversation, (ctx, { params }) =>
    service.retryConversation(ctx, params.conversation_id),
  ),
]
