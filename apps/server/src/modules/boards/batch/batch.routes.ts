import * as contract from '@crewhall/contracts/boards/batch.ts'
import { Answer } from '#platform/http/answer.ts'
import { handle } from '#platform/http/handle.ts'
import { writeBatch } from './batch.service.ts'

export const batchRoutes = [
  handle(contract.writeBatch, async (ctx, { params, body }) => {
    const results = await writeBatch(ctx, params.board_id, body)
    return new Answer(body.atomic ? 200 : 207, { results })
  }),
]
