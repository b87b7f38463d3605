import * as contract from '@crewhall/contracts/memory/search.ts'
import { Answer } from '#platform/http/answer.ts'
import { handle } from '#platform/http/handle.ts'
import { type RecallDeps, recallMemories } from './recall.service.ts'

export const recallRoutes = (deps: RecallDeps) => [
  handle(contract.recallMemories, async (ctx, { params, query }) => {
    const { found, is_reranked } = await recallMemories(ctx, deps, params.agent_id, query)
    return new Answer(200, found, { 'x-reranked': String(is_reranked) })
  }),
]
