import { z } from 'zod'
import { Actor } from '../boards/card-fields.ts'
import { Timestamp, Uuid } from '../wire.ts'
import * as fields from './fields.ts'

/** A memory to create, a change of one, or two that contradict each other. */
export const proposalKinds = ['new', 'change', 'conflict'] as const
export type ProposalKind = (typeof proposalKinds)[number]
export const proposalStates = ['open', 'approved', 'rejected'] as const
export type ProposalState = (typeof proposalStates)[number]
/** Why automation asks instead of writing. */
export const proposalReasons = [
  'like_deleted',
  'like_corrected',
  'locked',
  'contradiction',
  'other_subject',
  'edited_file',
] as const
export type ProposalReason = (typeof proposalReasons)[number]
/** What stays of a conflict. */
export const keptSides = ['old', 'new', 'both'] as const
export type Kept = (typeof keptSides)[number]

/** Where automation has something from, with the words that were said. */
export const MemoryOrigin = z
  .object({
    conversation_id: Uuid,
    source_id: Uuid,
    source_type: z.string(),
    message_seqs: z.array(z.int()).max(100),
    quote: z.string().meta({ maxLength: 300 }),
    model: z.string(),
    prompt_version: z.int(),
  })
  .meta({ id: 'MemoryOrigin' })
export type MemoryOrigin = z.infer<typeof MemoryOrigin>

const proposed = fields.Memory.pick({
  kind: true,
  title: true,
  body: true,
  description: true,
  tags: true,
  importance: true,
  confidence: true,
  status: true,
})
  .partial()
  .meta({ id: 'MemoryProposed' })

export const MemoryProposal = z
  .object({
    id: Uuid,
    agent_id: z.string(),
    kind: z.enum(proposalKinds),
    reason: z.enum(proposalReasons),
    /** The memory to change, or the older one of a conflict. */
    memory_id: Uuid.nullable(),
    /** The newer one of a conflict, if it is stored already. */
    other_memory_id: Uuid.nullable(),
    /** Of a change only the fields that would differ. */
    content: proposed,
    origin: MemoryOrigin.nullable(),
    state: z.enum(proposalStates),
    /** What was kept of a conflict. */
    kept: z.enum(keptSides).nullable(),
    /** The memory that the approval has created. */
    made_memory_id: Uuid.nullable(),
    decided_by: Actor.nullable(),
    decided_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'MemoryProposal' })
export type MemoryProposal = z.infer<typeof MemoryProposal>
