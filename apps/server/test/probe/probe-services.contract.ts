import { AgentId } from '@crewhall/contracts/identity/agents.ts'
import {
  agentNotOwned,
  agentRetired,
  scopeOutsideCeiling,
  serviceClosed,
} from '@crewhall/contracts/identity/refusals.ts'
import { route, token } from '@crewhall/contracts/route.ts'
import { scopes } from '@crewhall/contracts/scopes.ts'
import { text } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'

// What a module that takes on agents does with the door of identity.

const agent = { params: z.object({ agent_id: AgentId }), resources: { agent_id: 'agent' } } as const
const Opened = z.object({ person_id: z.int(), is_new: z.boolean() })

export const openService = route({
  id: 'probe.openService',
  method: 'PUT',
  path: '/api/v1/probe/services/{agent_id}',
  summary: 'Opens the service of an agent',
  auth: token(),
  ...agent,
  responses: { 200: Opened },
  refusals: [agentNotOwned, agentRetired],
})

/** Opening without holding the agent. */
export const naiveOpenService = route({
  id: 'probe.naiveOpenService',
  method: 'PUT',
  path: '/api/v1/probe/naive/services/{agent_id}',
  summary: 'Looks whether there is one, then writes it',
  auth: token(),
  ...agent,
  responses: { 200: Opened },
})

export const issueServiceToken = route({
  id: 'probe.issueServiceToken',
  method: 'POST',
  path: '/api/v1/probe/services/{agent_id}/tokens',
  summary: 'Issues a token of the service',
  auth: token(),
  ...agent,
  body: z.object({ name: text(1, 100), scopes: z.array(z.enum(scopes)).max(scopes.length) }),
  tells_once: true,
  responses: { 201: z.object({ id: z.string(), token: z.string() }) },
  refusals: [agentNotOwned, agentRetired, serviceClosed, scopeOutsideCeiling],
})

export const renewService = route({
  id: 'probe.renewService',
  method: 'POST',
  path: '/api/v1/probe/services/{agent_id}/renew',
  summary: 'Renews the tokens of the service',
  auth: token(),
  ...agent,
  responses: { 200: z.object({ done: z.literal(true) }) },
  refusals: [agentNotOwned, agentRetired, serviceClosed],
})

export const closeService = route({
  id: 'probe.closeService',
  method: 'DELETE',
  path: '/api/v1/probe/services/{agent_id}',
  summary: 'Closes the service and ends its tokens',
  auth: token(),
  ...agent,
  responses: { 200: z.object({ done: z.literal(true) }) },
  refusals: [agentNotOwned],
})

export const probeServiceRoutes = {
  openService,
  naiveOpenService,
  issueServiceToken,
  renewService,
  closeService,
} as const
