import * as contract from '@crewhall/contracts/lessons/lookup.ts'
import { handle } from '#platform/http/handle.ts'
import { ListAnswer } from '#platform/http/list-answer.ts'
import { lookUpAnchors } from './lookup.service.ts'

export const lookupRoutes = [
  handle(contract.lookUpAnchors, async (ctx, { body }) => {
    const { counts, entries } = await lookUpAnchors(ctx, body)
    return ListAnswer.map({ name: 'entries', counts }, entries)
  }),
]
