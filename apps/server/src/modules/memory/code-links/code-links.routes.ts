import * as contract from '@crewhall/contracts/memory/code-links.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './code-links.service.ts'

export const codeLinkRoutes = [
  handle(contract.listCode, (ctx, { params }) => service.listCode(ctx, params.memory_id)),
  handle(contract.promoteMemory, (ctx, { params, body }) =>
    service.promoteMemory(ctx, params.memory_id, body),
  ),
]
