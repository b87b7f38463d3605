import * as contract from '@crewhall/contracts/identity/agents.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './agents.service.ts'

export const agentRoutes = (cursors: Cursors) => [
  handle(contract.listAgents, (ctx, { query }) => service.listAgentsOf(ctx, cursors, query)),
  handle(contract.createAgent, (ctx, { body: { agent_id, name } }) =>
    service.createAgent(ctx, { agent_id, name }),
  ),
  handle(contract.getAgent, (ctx, { params }) => service.getAgent(ctx, params.agent_id)),
  handle(contract.renameAgent, (ctx, { params, body }) =>
    service.renameAgent(ctx, params.agent_id, body.name),
  ),
  handle(contract.retireAgent, (ctx, { params }) => service.retireAgent(ctx, params.agent_id)),
]
