import { z } from 'zod'
import { adminToken, route, token } from '../route.ts'
import { pageLimit, Timestamp, text } from '../wire.ts'
import * as refused from './refusals.ts'

/** MEMO-03: chosen by the workspace, and known only there. */
export const AgentId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,255}$/, 'must be 1 to 255 letters, digits, _ or -')
  .meta({ examples: ['build-bot'] })

export const AgentName = text(1, 100).refine(
  (value) => /\S/.test(value) && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value),
  'must not be blank or contain control characters',
)

export const agentStatuses = ['active', 'retired'] as const
/** Where it comes from: created by an admin, or hired from the catalog. */
export const agentOrigins = ['created', 'hired'] as const

export const Agent = z
  .object({
    agent_id: z.string(),
    name: z.string(),
    origin: z.enum(agentOrigins),
    status: z.enum(agentStatuses),
    /** The person who created it; null if nobody did. */
    created_by: z.int().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    retired_at: Timestamp.nullable(),
  })
  .meta({ id: 'Agent' })
export type Agent = z.infer<typeof Agent>

const notACursor = 'must be a next_cursor of this list'
const maxPage = 100
const readers = { auth: token('brand:read') } as const
const admins = { auth: adminToken('brand:admin') } as const
const one = {
  params: z.object({ agent_id: AgentId }),
  resources: { agent_id: 'agent' },
  missing: refused.agentNotFound,
} as const

export const listAgents = route({
  ...readers,
  id: 'identity.listAgents',
  method: 'GET',
  path: '/api/v1/agents',
  summary: 'List the agents of the workspace, by id',
  description:
    'Includes retired agents unless `status` says otherwise. Pass `next_cursor` as `cursor` to read on; it is null on the last page.',
  example: { query: { status: 'active', limit: '50' } },
  query: z.object({
    status: z.enum(agentStatuses).optional(),
    limit: pageLimit(maxPage),
    cursor: z.string(notACursor).max(500, notACursor).optional(),
  }),
  responses: { 200: z.object({ items: z.array(Agent).max(maxPage), next_cursor: z.string().nullable() }) },
  refusals: [refused.unknownAgentCursor],
})

export const createAgent = route({
  ...admins,
  id: 'identity.createAgent',
  method: 'POST',
  path: '/api/v1/agents',
  summary: 'Create an agent',
  description:
    'An agent is a software member of the workspace, with memories and tokens of its own. `agent_id` never changes and is never given again, also after the agent was retired. Other workspaces may use the same id.',
  example: { body: { agent_id: 'build-bot', name: 'Build bot' } },
  body: z.object({ agent_id: AgentId, name: AgentName }),
  responses: { 201: Agent },
  refusals: [refused.agentIdTaken, refused.agentLimit],
})

export const getAgent = route({
  ...readers,
  ...one,
  id: 'identity.getAgent',
  method: 'GET',
  path: '/api/v1/agents/{agent_id}',
  summary: 'Get an agent',
  description: 'Retired agents can be read like active ones.',
  responses: { 200: Agent },
  refusals: [refused.agentNotFound],
})

export const renameAgent = route({
  ...admins,
  ...one,
  id: 'identity.renameAgent',
  method: 'PATCH',
  path: '/api/v1/agents/{agent_id}',
  summary: 'Rename an agent',
  description:
    'From the next request on, changes made with its tokens carry the new name. What was recorded before keeps the old one.',
  example: { body: { name: 'Release bot' } },
  body: z.object({ name: AgentName }),
  responses: { 200: Agent },
  refusals: [refused.agentNotFound],
})

export const retireAgent = route({
  ...admins,
  ...one,
  id: 'identity.retireAgent',
  method: 'POST',
  path: '/api/v1/agents/{agent_id}/retire',
  summary: 'Retire an agent and revoke its tokens',
  description:
    'Takes effect with the next request: its tokens stop working, and nothing new can be written under it. Its memories stay readable. This cannot be undone. Retiring it again changes nothing.',
  responses: { 200: Agent },
  refusals: [refused.agentNotFound],
})
