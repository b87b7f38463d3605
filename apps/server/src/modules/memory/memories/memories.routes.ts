import * as contract from '@crewhall/contracts/memory/memories.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './memories.service.ts'

export const memoryRoutes = (cursors: Cursors) => [
  handle(contract.createMemory, (ctx, { body }) => service.createMemory(ctx, body)),
  handle(contract.listMemories, (ctx, { query }) => service.listMemoryPage(ctx, cursors, query)),
  handle(contract.listExpiring, (ctx, { query }) => service.listExpiringPage(ctx, cursors, query)),
  handle(contract.getMemory, (ctx, { params }) => service.getMemory(ctx, params.memory_id)),
  handle(contract.changeMemory, (ctx, { params, body }) => service.changeMemory(ctx, params.memory_id, body)),
  handle(contract.deleteMemory, async (ctx, { params, query }) => {
    await service.discardMemory(ctx, params.memory_id, query)
    return undefined
  }),
  handle(contract.verifyMemory, (ctx, { params, body }) => service.verifyMemory(ctx, params.memory_id, body)),
]
