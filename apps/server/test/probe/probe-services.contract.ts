import { AgentId } from '@crewhall/contracts/identity/agents.ts'
import {
  agentNotOwned,
  agentRetired,
  scopeOutsideCeiling,
  serviceClosed,
} from '@crewhall/contracts/identity/refusals.ts'
import { route, token } from '@crewhall/contracts/route.ts'
import { scopes } from '@crewhall/contracts/scopes.ts'
import { text, Uuid } from '@crewhall/contracts/wire.ts'
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

const ofToken = {
  params: z.object({ agent_id: AgentId, token_id: Uuid }),
  resources: { agent_id: 'agent' },
} as const
const Changed = z.object({ done: z.boolean() })

export const renewServiceToken = route({
  id: 'probe.renewServiceToken',
  method: 'POST',
  path: '/api/v1/probe/services/{agent_id}/tokens/{token_id}/renew',
  summary: 'Renews a token of the service',
  auth: token(),
  ...ofToken,
  responses: { 200: Changed },
})

export const narrowServiceToken = route({
  id: 'probe.narrowServiceToken',
  method: 'POST',
  path: '/api/v1/probe/services/{agent_id}/tokens/{token_id}/narrow',
  summary: 'Takes scopes away from a token of the service',
  auth: token(),
  ...ofToken,
  body: z.object({ scopes: z.array(z.enum(scopes)).max(scopes.length) }),
  responses: { 200: Changed },
})

export const revokeServiceTokens = route({
  id: 'probe.revokeServiceTokens',
  method: 'POST',
  path: '/api/v1/probe/services/{agent_id}/tokens/{token_id}/keep',
  summary: 'Revokes all tokens of the service but this one',
  auth: token(),
  ...ofToken,
  responses: { 200: Changed },
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
  renewServiceToken,
  narrowServiceToken,
  revokeServiceTokens,
  closeService,
} as const
