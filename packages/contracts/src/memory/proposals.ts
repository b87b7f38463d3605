import { z } from 'zod'
import { AgentId } from '../identity/agents.ts'
import { agentNotOwned, agentRetired, scopeMissing } from '../identity/refusals.ts'
import { route } from '../route.ts'
import { pageLimit, Timestamp, Uuid } from '../wire.ts'
import * as fields from './fields.ts'
import * as proposal from './proposal-fields.ts'
import * as refused from './refusals.ts'

const oneProposal = {
  path: '/api/v1/memory/proposals/{proposal_id}',
  params: z.object({ proposal_id: Uuid }),
  resources: { proposal_id: 'memory_proposal' },
  missing: refused.proposalIdMalformed,
} as const

export const listProposals = route({
  ...fields.memoryRead,
  id: 'memory.listProposals',
  method: 'GET',
  path: '/api/v1/memory/proposals',
  summary: 'List what automation proposes, newest first',
  description:
    'Automation never changes what a person has written, and never brings back what a person has deleted or corrected: it proposes. Without `state`, open proposals are listed. Decided ones are kept for 90 days. Pass `next_cursor` as `cursor` to read on; it is null on the last page.',
  example: { query: { state: 'open', kind: 'conflict' } },
  query: z.object({
    agent_id: AgentId.optional(),
    state: z.enum(proposal.proposalStates).default('open'),
    kind: z.enum(proposal.proposalKinds).optional(),
    limit: pageLimit(40, 20),
    cursor: z.string().max(500).optional(),
  }),
  resources: { 'query.agent_id': 'agent' },
  responses: {
    200: z.object({ proposals: z.array(proposal.MemoryProposal), next_cursor: z.string().nullable() }),
  },
  refusals: [scopeMissing, agentNotOwned, refused.unknownCursor],
})

export const getProposal = route({
  ...fields.memoryRead,
  ...oneProposal,
  id: 'memory.getProposal',
  method: 'GET',
  summary: 'Get a proposal',
  description: '`origin` has the words of the conversation that it comes from.',
  responses: { 200: proposal.MemoryProposal },
  refusals: [scopeMissing, refused.proposalNotFound],
})

export const approveProposal = route({
  ...fields.memoryWrite,
  ...oneProposal,
  id: 'memory.approveProposal',
  method: 'POST',
  path: '/api/v1/memory/proposals/{proposal_id}/approve',
  summary: 'Approve a proposal',
  description:
    'A new memory is created, or the change is made, as if the caller had written it. Of a conflict, `keep` says what stays: the `old` memory, the `new` one, or `both`; the other one is archived, or discarded if it is not stored yet. Approving again the same way changes nothing. Only people can decide.',
  example: { body: {} },
  body: z.object({ keep: z.enum(proposal.keptSides).optional() }).default({}),
  responses: { 200: proposal.MemoryProposal },
  refusals: [
    scopeMissing,
    refused.onlyPeopleDecide,
    refused.proposalNotFound,
    refused.keepMissing,
    refused.keepUnwanted,
    refused.proposalDecided,
    refused.memoryChanged,
    refused.memoryGone,
    agentRetired,
  ],
})

export const rejectProposal = route({
  ...fields.memoryWrite,
  ...oneProposal,
  id: 'memory.rejectProposal',
  method: 'POST',
  path: '/api/v1/memory/proposals/{proposal_id}/reject',
  summary: 'Reject a proposal',
  description:
    'Nothing changes, and the same text is not proposed again. Memories of a conflict that are stored both stay. Rejecting again changes nothing. Only people can decide.',
  example: { body: {} },
  body: z.object({}).default({}),
  responses: { 200: proposal.MemoryProposal },
  refusals: [scopeMissing, refused.onlyPeopleDecide, refused.proposalNotFound, refused.proposalDecided],
})

/** One for each conversation that said it; the first is where the memory comes from. */
export const MemoryEvidence = proposal.MemoryOrigin.extend({
  /** What became of it: a new memory, evidence for it, in place of `other_memory_id`, or against it. */
  decision: z.enum(['new', 'same', 'supersedes', 'conflicts']),
  other_memory_id: Uuid.nullable(),
  created_at: Timestamp,
}).meta({ id: 'MemoryEvidence' })
export type MemoryEvidence = z.infer<typeof MemoryEvidence>

export const listProvenance = route({
  ...fields.memoryRead,
  ...fields.oneMemory,
  id: 'memory.listProvenance',
  method: 'GET',
  path: '/api/v1/memory/memories/{memory_id}/provenance',
  summary: 'List where a memory comes from',
  description:
    'The conversations that said it, oldest first, with their words, at most 100. Empty for a memory that was written by a person or an agent and was not said in a conversation since.',
  responses: { 200: z.object({ provenance: z.array(MemoryEvidence).max(100) }) },
  refusals: [scopeMissing, refused.memoryNotFound],
})
