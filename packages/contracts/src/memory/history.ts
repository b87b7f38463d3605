import { z } from 'zod'
import { Actor } from '../boards/card-fields.ts'
import { nothing } from '../bytes.ts'
import { agentRetired, scopeMissing } from '../identity/refusals.ts'
import { adminToken, route } from '../route.ts'
import { pageLimit, Timestamp } from '../wire.ts'
import * as fields from './fields.ts'
import * as refused from './refusals.ts'

export const changeActions = [
  'created',
  'updated',
  'verified',
  'deleted',
  'restored',
  'merged',
  'unmerged',
  'purged',
] as const
export type ChangeAction = (typeof changeActions)[number]

/** `before` is null if there was nothing before, and `after` if the memory was deleted. Both are null once it was purged. */
export const MemoryChangeEntry = z
  .object({
    version: z.int(),
    action: z.enum(changeActions),
    actor: Actor,
    reason: z.string().meta({ maxLength: 500 }).nullable(),
    before: fields.MemoryState.nullable(),
    after: fields.MemoryState.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'MemoryChangeEntry' })
export type MemoryChangeEntry = z.infer<typeof MemoryChangeEntry>

/** Of each memory. Older ones are dropped, so that a program that changes it in a loop cannot fill the table. */
export const keptChanges = 100

export const listHistory = route({
  ...fields.memoryRead,
  ...fields.oneMemory,
  id: 'memory.listHistory',
  method: 'GET',
  path: '/api/v1/memory/memories/{memory_id}/history',
  summary: 'List the changes of a memory, newest first',
  description: `Also works for deleted memories. The last ${keptChanges} changes are stored. Pass \`next_before\` as \`before\` to read on.`,
  example: { query: { limit: '10' } },
  query: z.object({
    before: z
      .string()
      .regex(/^[1-9]\d{0,9}$/, 'must be a version')
      .transform(Number)
      .refine((version) => version <= 2_147_483_647, 'must be a version')
      .optional()
      .meta({ override: { type: 'integer', minimum: 1 } }),
    limit: pageLimit(20, 10),
  }),
  responses: {
    200: z.object({ changes: z.array(MemoryChangeEntry), next_before: z.int().nullable() }),
  },
  refusals: [scopeMissing, refused.memoryNotFound],
})

export const restoreMemory = route({
  ...fields.memoryWrite,
  ...fields.oneMemory,
  id: 'memory.restoreMemory',
  method: 'POST',
  path: '/api/v1/memory/memories/{memory_id}/restore',
  summary: 'Return a memory to an earlier version',
  description:
    'Everything is as it was after the change with this number, including confidence and the time of verification. This also brings back a deleted memory, and is itself a change that can be undone.',
  example: { body: { version: 1, reason: 'Deleted by mistake' } },
  body: z.object({ version: z.int().min(1).max(2_147_483_647), reason: fields.Reason.optional() }),
  responses: { 200: fields.Memory },
  refusals: [
    scopeMissing,
    refused.memoryNotFound,
    refused.versionNotFound,
    refused.versionIsDeletion,
    agentRetired,
  ],
})

export const purgeMemory = route({
  ...fields.memoryWrite,
  ...fields.oneMemory,
  auth: adminToken('memory:write'),
  id: 'memory.purgeMemory',
  method: 'POST',
  path: '/api/v1/memory/memories/{memory_id}/purge',
  summary: 'Delete a memory and all of its earlier texts for good',
  description:
    'For text that must not be stored, such as a secret. Removes the memory if it is still there, and its texts, tags, reasons and vectors of every version. The history keeps who did what and when. Nothing is left to restore, and nothing prevents that the same text is learned again. Purging it again changes nothing. Backups keep the text for as long as they are kept.',
  example: { body: { reason: 'Contained a password' } },
  body: z.object({ reason: fields.Reason.optional() }).default({}),
  responses: { 204: nothing },
  refusals: [scopeMissing, refused.memoryNotFound],
})
