import { AgentId } from '@crewhall/contracts/identity/agents.ts'
import { agentIdTaken, agentNotOwned } from '@crewhall/contracts/identity/refusals.ts'
import { route, token } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

const Done = z.object({ done: z.literal(true) })

/** Creating an agent as it is written without thinking of another one with the same id at the same time. */
export const naiveCreateAgent = route({
  id: 'probe.naiveCreateAgent',
  method: 'POST',
  path: '/api/v1/probe/naive/agents',
  summary: 'Looks whether the id is free, then writes the agent',
  auth: token(),
  body: z.object({ agent_id: AgentId, name: z.string().max(100) }),
  responses: { 201: Done },
  refusals: [agentIdTaken],
})

/** Issuing a token without holding its agent. */
export const naiveIssueAgentToken = route({
  id: 'probe.naiveIssueAgentToken',
  method: 'POST',
  path: '/api/v1/probe/naive/brands/{brand_id}/agent-tokens',
  summary: 'Looks whether the agent is active, then writes a token for it',
  auth: token(),
  params: z.object({ brand_id: z.string() }),
  resources: { brand_id: 'brand' },
  body: z.object({ agent_id: AgentId, name: z.string().max(100), scopes: z.array(z.string()).max(1) }),
  responses: { 201: Done },
  refusals: [agentNotOwned],
})

export const probeAgentRoutes = { naiveCreateAgent, naiveIssueAgentToken } as const
