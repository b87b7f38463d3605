import * as contract from '@crewhall/contracts/lessons/near.ts'
import { handle } from '#platform/http/handle.ts'
import { ListAnswer } from '#platform/http/list-answer.ts'
import { findNear, type NearHandles } from './near.service.ts'

export const nearRoutes = (handles: NearHandles) => [
  handle(contract.findNear, async (ctx, { body }) => {
    const { entries, ...head } = await findNear(ctx, handles, body)
    return ListAnswer.of({ name: 'entries', ...head }, entries)
  }),
]
