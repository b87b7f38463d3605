import { z } from 'zod'
import { Actor } from '../boards/card-fields.ts'
import { AgentId } from '../identity/agents.ts'
import { token } from '../route.ts'
import { Timestamp, text, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'

/** MEMO-01. */
export const memoryKinds = ['decision', 'learning', 'pattern', 'preference', 'fact', 'summary'] as const
export type MemoryKind = (typeof memoryKinds)[number]
/** MEMO-41: summaries are written by the platform only. */
export const writableKinds = ['decision', 'learning', 'pattern', 'preference', 'fact'] as const
/** MEMO-07. */
export const importances = ['low', 'normal', 'high', 'critical'] as const
export type Importance = (typeof importances)[number]
/** MEMO-08. */
export const memoryStatuses = ['active', 'archived', 'merged'] as const
export type MemoryStatus = (typeof memoryStatuses)[number]

export const longestBody = 10_000
const longestTag = 64
const mostTags = 20

export const Title = text(1, 500)
export const Body = text(1, longestBody)
export const Description = text(0, 200)
export const Confidence = z.number().min(0).max(1)
export const Tags = z.array(text(1, longestTag)).max(mostTags)
/** Stored with the change, for those who read the history. */
export const Reason = text(1, 500)

/** The lengths say how long a response can become; stored texts are within them already. */
const storedFields = {
  kind: z.enum(memoryKinds),
  title: z.string().meta({ maxLength: 500 }),
  description: z.string().meta({ maxLength: 200 }).nullable(),
  /** The effective value: 2% less for each week since the memory was last verified, unless it is critical. */
  confidence: z.number(),
  tags: z.array(z.string().meta({ maxLength: longestTag })).max(mostTags),
}
const body = z.string().meta({ maxLength: longestBody })

const entryFields = {
  id: Uuid,
  agent_id: z.string(),
  ...storedFields,
  importance: z.enum(importances),
  status: z.enum(memoryStatuses),
  /** The pattern that a `merged` memory went into. */
  merged_into: Uuid.nullable(),
  /** Incremented by each change. */
  version: z.int(),
  /** Whether a person has written or edited it. The platform's own processing never changes such a memory. */
  is_locked: z.boolean(),
  /** The memory that has taken its place, if it was archived because something newer is true. */
  superseded_by: Uuid.nullable(),
  created_by: Actor,
  updated_by: Actor,
  created_at: Timestamp,
  updated_at: Timestamp,
  /** Creation, or the last change of title, body or confidence, return to `active`, or verification. */
  last_verified_at: Timestamp,
}

/** A memory without its body, as in lists. */
export const MemoryEntry = z.object(entryFields).meta({ id: 'MemoryEntry' })
export type MemoryEntry = z.infer<typeof MemoryEntry>
/** As many as a pattern may be made from. */
export const mostEvidence = 60
export const Memory = z
  .object({
    ...entryFields,
    body,
    /** The memories that a pattern was made from; empty for all others. */
    evidence: z.array(Uuid).max(mostEvidence),
  })
  .meta({ id: 'Memory' })
export type Memory = z.infer<typeof Memory>

/** Why an item is among the results, with `why=true`. Ranks count from 1; null means not in that list. */
export const Why = z
  .object({
    text_rank: z.int().nullable(),
    vector_rank: z.int().nullable(),
    trigram_rank: z.int().nullable(),
    confidence: z.number(),
    age_days: z.number(),
  })
  .meta({ id: 'MemoryWhy' })
export type Why = z.infer<typeof Why>

/** MEMO-21 to MEMO-23, MEMO-G4: the last keys are absent unless they say something. */
export const FoundMemory = z
  .object({
    id: Uuid,
    kind: storedFields.kind,
    title: storedFields.title,
    body,
    description: storedFields.description,
    confidence: storedFields.confidence,
    tags: storedFields.tags,
    /** True if not verified for more than 30 days. */
    stale: z.literal(true).optional(),
    stale_caveat: z.string().meta({ maxLength: 200 }).optional(),
    /** True if it has little in common with the query. */
    low_match: z.literal(true).optional(),
    why: Why.optional(),
  })
  .meta({ id: 'FoundMemory' })
export type FoundMemory = z.infer<typeof FoundMemory>

/** A memory at one version, as the history shows it. Confidence is the stored value, without decay. */
export const MemoryState = Memory.pick({
  agent_id: true,
  kind: true,
  title: true,
  body: true,
  description: true,
  confidence: true,
  tags: true,
  importance: true,
  status: true,
  is_locked: true,
  superseded_by: true,
  last_verified_at: true,
}).meta({ id: 'MemoryState' })
export type MemoryState = z.infer<typeof MemoryState>

/** MEMO-16, MEMO-G3: separated by commas; blanks are ignored. */
export const Kinds = z
  .string()
  .max(200)
  .transform((list) => list.split(',').map((kind) => kind.trim()))
  .transform((list) => list.filter((kind) => kind !== ''))
  .pipe(z.array(z.enum(memoryKinds)))
  .transform((list): readonly MemoryKind[] => (list.length === 0 ? memoryKinds : [...new Set(list)]))
  .default(memoryKinds)
  .meta({ override: { type: 'string', examples: ['decision,fact'] } })

/** MEMO-66, MEMO-67: on connections of their own, so that what waits here stops nothing else. */
export const memoryRead = { auth: token('memory:read'), database: 'memory' } as const
export const memoryWrite = { auth: token('memory:write'), database: 'memory' } as const

export const ofAgent = {
  params: z.object({ agent_id: AgentId }),
  resources: { agent_id: 'agent' },
  missing: refused.agentIdMalformed,
} as const
export const oneMemory = {
  path: '/api/v1/memory/memories/{memory_id}',
  params: z.object({ memory_id: Uuid }),
  resources: { memory_id: 'memory' },
  missing: refused.memoryIdMalformed,
} as const
