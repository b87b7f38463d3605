import { AgentId } from '@crewhall/contracts/identity/agents.ts'
import { route, token } from '@crewhall/contracts/route.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'

const one = {
  path: '/api/v1/probe/memories/{memory_id}/naive',
  params: z.object({ memory_id: Uuid }),
  resources: { memory_id: 'memory' },
  auth: token('memory:write'),
  responses: { 200: z.object({}) },
} as const

/** The naive twin of a change of a memory: it reads, merges and writes, and locks nothing. */
export const changeMemoryNaively = route({
  ...one,
  id: 'probe.changeMemoryNaively',
  method: 'PATCH',
  summary: 'Reads, merges and writes without a lock',
  body: z.object({ title: z.string().optional(), tags: z.array(z.string()).optional() }),
})

/** The naive twin of a restoration: it looks whether the memory is there, and inserts it. */
export const restoreMemoryNaively = route({
  ...one,
  id: 'probe.restoreMemoryNaively',
  method: 'POST',
  summary: 'Looks, and inserts what is not there',
})

/** The naive twin of a consolidation, of facts, which no worker looks at: it counts, and writes a pattern. */
export const consolidateNaively = route({
  id: 'probe.consolidateNaively',
  method: 'POST',
  path: '/api/v1/probe/memories/consolidate',
  auth: token('memory:write'),
  summary: 'Counts memories with a tag, and writes a pattern without a lock',
  body: z.object({ agent_id: AgentId, tag: z.string().max(64) }),
  resources: { 'body.agent_id': 'agent' },
  responses: { 200: z.object({}) },
})

/** The naive twin of a verdict: it looks whether the proposal is open, does it, and notes it. */
export const decideNaively = route({
  id: 'probe.decideNaively',
  method: 'POST',
  path: '/api/v1/probe/memory-proposals/{proposal_id}/naive',
  summary: 'Looks, carries out and notes without a lock',
  params: z.object({ proposal_id: Uuid }),
  resources: { proposal_id: 'memory_proposal' },
  auth: token('memory:write'),
  body: z.object({ state: z.enum(['approved', 'rejected']) }),
  responses: { 200: z.object({}) },
})
