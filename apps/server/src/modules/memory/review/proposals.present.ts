import type { MemoryProposal } from '@crewhall/contracts/memory/proposal-fields.ts'
import type { MemoryEvidence } from '@crewhall/contracts/memory/proposals.ts'
import type { Origin } from '../automation/origin.rules.ts'
import type { ProvenanceRow } from '../automation/provenance.store.ts'
import type { ProposalRow } from './proposals.store.ts'

export const presentProposal = (row: ProposalRow): MemoryProposal => ({
  id: row.id,
  agent_id: row.agent_id,
  kind: row.kind,
  reason: row.reason,
  memory_id: row.memory_id,
  other_memory_id: row.other_memory_id,
  content: { ...row.content, tags: row.content.tags && [...row.content.tags] },
  origin: row.origin && presentOrigin(row.origin),
  state: row.state,
  kept: row.kept,
  made_memory_id: row.made_memory_id,
  decided_by: row.decided_by,
  decided_at: row.decided_at,
  created_at: row.created_at,
})

export const presentEvidence = (row: ProvenanceRow): MemoryEvidence => ({
  ...presentOrigin(row),
  decision: row.decision,
  other_memory_id: row.other_memory_id,
  created_at: row.created_at,
})

const presentOrigin = (origin: Origin) => ({
  conversation_id: origin.conversation_id,
  source_id: origin.source_id,
  source_type: origin.source_type,
  message_seqs: [...origin.message_seqs],
  quote: origin.quote,
  model: origin.model,
  prompt_version: origin.prompt_version,
})
