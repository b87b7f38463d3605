import * as contract from '@crewhall/contracts/memory/search.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { handle } from '#platform/http/handle.ts'
import { searchMemories } from './search.service.ts'

export const searchRoutes = (vectors: TextVectors) => [
  handle(contract.searchMemories, (ctx, { params, query }) =>
    searchMemories(ctx, vectors, params.agent_id, query),
  ),
]
