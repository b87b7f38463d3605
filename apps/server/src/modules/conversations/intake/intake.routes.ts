import { sendConversation } from '@crewhall/contracts/conversations/conversations.ts'
import { handleInPhases } from '#platform/http/handle.ts'
import { type FindOwnTexts, prepareConversation, receiveConversation } from './intake.service.ts'

export const intakeRoutes = (findOwnTexts: FindOwnTexts) => [
  handleInPhases(sendConversation, {
    before: (ctx, { params, body }) => prepareConversation(ctx, findOwnTexts, params.source_id, body),
    run: (ctx, _, prepared) => receiveConversation(ctx, prepared),
  }),
]
