import * as contract from '@crewhall/contracts/memory/search.ts'
import { handle } from '#platform/http/handle.ts'
import { searchMemories } from './search.service.ts'

export const searchRoutes = [
  handle(contract.searchMemories, (ctx, { params, query }) => searchMemories(ctx, params.agent_id, query)),
]
