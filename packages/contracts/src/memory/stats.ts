import { z } from 'zod'
import { AgentId } from '../identity/agents.ts'
import { agentNotOwned, scopeMissing } from '../identity/refusals.ts'
import { route } from '../route.ts'
import * as fields from './fields.ts'

/** MEMO-G16: kinds and average are of active memories; kinds without one are absent, and the average of none is 0. */
export const MemoryStats = z
  .object({
    total_active: z.int(),
    total_archived: z.int(),
    total_merged: z.int(),
    by_kind: z.object({
      decision: z.int().optional(),
      learning: z.int().optional(),
      pattern: z.int().optional(),
      preference: z.int().optional(),
      fact: z.int().optional(),
      summary: z.int().optional(),
    }),
    avg_confidence: z.number(),
  })
  .meta({ id: 'MemoryStats' })
export type MemoryStats = z.infer<typeof MemoryStats>

export const getStats = route({
  ...fields.memoryRead,
  id: 'memory.getStats',
  method: 'GET',
  path: '/api/v1/memory/memories/stats',
  summary: 'Count the memories of the workspace or of an agent',
  description:
    '`by_kind` and `avg_confidence` cover active memories; the average is of effective values. Without `agent_id`, all agents are counted.',
  example: { query: {} },
  query: z.object({ agent_id: AgentId.optional() }),
  resources: { 'query.agent_id': 'agent' },
  formats: { default: 'json', accepts: ['json', 'yaml', 'md'] },
  responses: { 200: MemoryStats },
  refusals: [scopeMissing, agentNotOwned],
})
