import { z } from 'zod'
import { scopeMissing } from '../identity/refusals.ts'
import { route } from '../route.ts'
import { Uuid } from '../wire.ts'
import * as fields from './fields.ts'
import * as refused from './refusals.ts'

export const unmergeMemory = route({
  ...fields.memoryWrite,
  ...fields.oneMemory,
  id: 'memory.unmergeMemory',
  method: 'POST',
  path: '/api/v1/memory/memories/{memory_id}/unmerge',
  summary: 'Undo the consolidation of memories into a pattern',
  description:
    'Three active learnings of an agent that share a tag become one pattern that contains their texts, and their status becomes `merged`. This deletes the pattern and makes the learnings active again, with the confidence and the times they would have had without the merge. A learning that was changed from `merged` to another status, or deleted, stays as it is. The same learnings are not merged again.',
  example: { body: { reason: 'These are about two different services' } },
  body: z.object({ reason: fields.Reason.optional() }).default({}),
  responses: {
    200: z.object({
      pattern_id: Uuid,
      /** Those that are active again. */
      memory_ids: z.array(Uuid).max(fields.mostEvidence),
    }),
  },
  refusals: [scopeMissing, refused.memoryNotFound, refused.notConsolidated],
})
