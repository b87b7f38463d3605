import { unmergeMemory } from '@crewhall/contracts/memory/consolidation.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './unmerge.service.ts'

export const consolidationRoutes = [
  handle(unmergeMemory, (ctx, { params, body }) => service.unmergeMemory(ctx, params.memory_id, body)),
]
