import * as contract from '@crewhall/contracts/memory/history.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './history.service.ts'
import { purgeMemory } from './purge.service.ts'

export const historyRoutes = [
  handle(contract.listHistory, (ctx, { params, query }) => service.listHistory(ctx, params.memory_id, query)),
  handle(contract.restoreMemory, (ctx, { params, body }) =>
    service.restoreMemory(ctx, params.memory_id, body),
  ),
  handle(contract.purgeMemory, async (ctx, { params, body }) => {
    await purgeMemory(ctx, params.memory_id, body)
    return undefined
  }),
]
