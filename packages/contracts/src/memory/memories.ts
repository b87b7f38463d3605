import { z } from 'zod'
import { nothing } from '../bytes.ts'
import { AgentId } from '../identity/agents.ts'
import { agentNotOwned, agentRetired, scopeMissing } from '../identity/refusals.ts'
import { route } from '../route.ts'
import { pageLimit, queryInteger, Uuid } from '../wire.ts'
import * as fields from './fields.ts'
import * as refused from './refusals.ts'

export const NewMemory = z.object({
  agent_id: AgentId,
  kind: z.enum(fields.writableKinds),
  title: fields.Title,
  body: fields.Body,
  description: fields.Description.optional(),
  tags: fields.Tags.default([]),
  confidence: fields.Confidence.default(0.8),
  importance: z.enum(fields.importances).default('normal'),
})
export type NewMemory = z.infer<typeof NewMemory>

/** MEMO-53, MEMO-G17: only sent fields change, and null is not a value of any. */
export const MemoryChange = z.object({
  title: fields.Title.optional(),
  body: fields.Body.optional(),
  description: fields.Description.optional(),
  kind: z.enum(fields.writableKinds).optional(),
  tags: fields.Tags.optional(),
  confidence: fields.Confidence.optional(),
  importance: z.enum(fields.importances).optional(),
  status: z.enum(['active', 'archived']).optional(),
  reason: fields.Reason.optional(),
})
export type MemoryChange = z.infer<typeof MemoryChange>

const Page = z.object({ memories: z.array(fields.MemoryEntry), next_cursor: z.string().nullable() })
const Cursor = z.string().max(500).optional()

export const createMemory = route({
  ...fields.memoryWrite,
  id: 'memory.createMemory',
  method: 'POST',
  path: '/api/v1/memory/memories',
  summary: 'Create a memory of an agent',
  description:
    'Always creates a new memory. `possible_duplicate_of` is the id of a memory of the same agent with the same text, if there is one.',
  example: {
    body: {
      agent_id: 'build-bot',
      kind: 'decision',
      title: 'Releases are cut on Tuesdays',
      body: 'Support is fully staffed on Wednesdays, so we release the day before.',
      tags: ['release'],
    },
  },
  body: NewMemory,
  resources: { 'body.agent_id': 'agent' },
  responses: { 201: fields.Memory.extend({ possible_duplicate_of: Uuid.nullable() }) },
  refusals: [scopeMissing, agentNotOwned, agentRetired],
})

export const listMemories = route({
  ...fields.memoryRead,
  id: 'memory.listMemories',
  method: 'GET',
  path: '/api/v1/memory/memories',
  summary: 'List memories, newest first, without their bodies',
  description:
    'Contains memories of every status and confidence; `status`, `kinds` and `agent_id` narrow the list. Pass `next_cursor` as `cursor` to read on; it is null on the last page.',
  example: { query: { limit: '50', status: 'active' } },
  query: z.object({
    agent_id: AgentId.optional(),
    kinds: fields.Kinds,
    status: z.enum(fields.memoryStatuses).optional(),
    limit: pageLimit(),
    cursor: Cursor,
  }),
  resources: { 'query.agent_id': 'agent' },
  responses: { 200: Page },
  refusals: [scopeMissing, agentNotOwned, refused.unknownCursor],
})

export const listExpiring = route({
  ...fields.memoryRead,
  id: 'memory.listExpiring',
  method: 'GET',
  path: '/api/v1/memory/memories/expiring',
  summary: 'List active memories that search will soon leave out',
  description:
    'Search leaves out memories whose confidence has decayed below 0.3. This list has those that fall below it within `within_days`, the next one first. Verify a memory to keep it.',
  example: { query: { within_days: '28' } },
  query: z.object({
    agent_id: AgentId.optional(),
    within_days: queryInteger(1, 365)
      .default(28)
      .meta({
        override: { type: 'integer', minimum: 1, maximum: 365, default: 28 },
      }),
    limit: pageLimit(),
    cursor: Cursor,
  }),
  resources: { 'query.agent_id': 'agent' },
  responses: { 200: Page },
  refusals: [scopeMissing, agentNotOwned, refused.unknownCursor],
})

export const getMemory = route({
  ...fields.memoryRead,
  ...fields.oneMemory,
  id: 'memory.getMemory',
  method: 'GET',
  summary: 'Get a memory',
  description: '`confidence` is the effective value at this moment.',
  responses: { 200: fields.Memory },
  refusals: [scopeMissing, refused.memoryNotFound],
})

export const changeMemory = route({
  ...fields.memoryWrite,
  ...fields.oneMemory,
  id: 'memory.changeMemory',
  method: 'PATCH',
  summary: 'Change a memory',
  description:
    'Changes only the fields sent; `tags` replaces the whole list. A change of title, body or confidence, and `status: active`, also verify the memory, so decay starts again from the stored confidence. `archived` removes it from search and recall without deleting it.',
  example: { body: { body: 'We release on Tuesdays, never before a holiday.', reason: 'Agreed in May' } },
  body: MemoryChange,
  responses: { 200: fields.Memory },
  refusals: [scopeMissing, refused.memoryNotFound],
})

export const deleteMemory = route({
  ...fields.memoryWrite,
  ...fields.oneMemory,
  id: 'memory.deleteMemory',
  method: 'DELETE',
  summary: 'Delete a memory',
  description: 'Removes it from search at once, whatever its status. Restore it by its id from its history.',
  query: z.object({ reason: fields.Reason.optional() }),
  responses: { 204: nothing },
  refusals: [scopeMissing, refused.memoryNotFound],
})

export const verifyMemory = route({
  ...fields.memoryWrite,
  ...fields.oneMemory,
  id: 'memory.verifyMemory',
  method: 'POST',
  path: '/api/v1/memory/memories/{memory_id}/verify',
  summary: 'Confirm that a memory is still true',
  description:
    'Nothing else changes: it is no longer stale, and decay starts again from the stored confidence.',
  example: { body: {} },
  body: z.object({ reason: fields.Reason.optional() }).default({}),
  responses: { 200: fields.Memory },
  refusals: [scopeMissing, refused.memoryNotFound],
})
