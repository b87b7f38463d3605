import { z } from 'zod'
import { mostLines } from '../memory/memory-file.ts'
import { desk, route } from '../route.ts'
import { Uuid } from '../wire.ts'
import * as refused from './refusals.ts'

/** Between the markers, with what people have added. A section that is longer is left alone by the sidecar. */
export const mostLinesSent = 500
export const longestLineSent = 2000

/** Why a desk has to leave its file as it is. */
export const leaveReasons = ['no_agent', 'too_many_edits', 'inbox_full'] as const

export const exchangeMemory = route({
  id: 'fleet.exchangeMemory',
  method: 'POST',
  path: '/api/v1/desk-agent/memory',
  summary: "Exchange the memory section of a desk's MEMORY.md",
  description:
    'For the sidecar. Signed with the key of the desk. Takes the lines between the markers of the file, and returns those that belong there now: the memories of the agent of the desk with the highest confidence. Edited and added lines become proposals first. `reason` says why the file has to stay as it is; then there are no lines.',
  example: { body: { lines: ['## Memories'], memory_ids: [] } },
  auth: desk('key'),
  resources: { 'body.memory_ids': 'memory' },
  database: 'memory',
  body: z.object({
    /** As they stand in the file; null if it has no section. */
    lines: z.array(z.string().max(longestLineSent)).max(mostLinesSent).nullable(),
    /** Those that the section was written from. */
    memory_ids: z.array(Uuid).max(mostLines).default([]),
  }),
  responses: {
    200: z.object({
      agent_id: z.string().meta({ maxLength: 255 }).nullable(),
      reason: z.enum(leaveReasons).nullable(),
      lines: z.array(z.string().meta({ maxLength: 2000 })).max(mostLines),
      memory_ids: z.array(Uuid).max(mostLines),
    }),
  },
  refusals: [refused.clockOff, refused.sequenceUsed, refused.deskQuarantined, refused.deskReleased],
})
export type MemoryExchange = z.infer<typeof exchangeMemory.body>
