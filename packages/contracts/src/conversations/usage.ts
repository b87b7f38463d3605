import { z } from 'zod'
import { AgentId } from '../identity/agents.ts'
import { agentNotOwned, scopeMissing } from '../identity/refusals.ts'
import { memoryRead } from '../memory/fields.ts'
import { route } from '../route.ts'
import { isOnCalendar, pageLimit, Timestamp, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'

const Day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/, 'must be a date such as 2026-01-31')
  .refine((day) => isOnCalendar(`${day}T00:00`), 'must be a date such as 2026-01-31')
  .meta({ format: 'date', examples: ['2026-01-31'] })

export const spendPurposes = ['reading', 'consolidation', 'recall'] as const
export type SpendPurpose = (typeof spendPurposes)[number]

/** What reading, consolidating and recalling have cost on a day (UTC), by source. */
export const UsageEntry = z
  .object({
    day: Day,
    purpose: z.enum(spendPurposes),
    /** Null for the patterns that memories of the agent became, and for recalls. */
    source_id: Uuid.nullable(),
    agent_id: z.string(),
    /** Calls of the language model. */
    calls: z.int(),
    tokens: z.int(),
  })
  .meta({ id: 'UsageEntry' })
export type UsageEntry = z.infer<typeof UsageEntry>

const spentToday = {
  calls: z.int(),
  tokens: z.int(),
  /** Null if there is none. */
  call_limit: z.int().nullable(),
  token_limit: z.int().nullable(),
}

export const getUsage = route({
  ...memoryRead,
  id: 'conversations.getUsage',
  method: 'GET',
  path: '/api/v1/memory/usage',
  summary: 'Get what memory has cost, by day, source and agent',
  description:
    'Newest day first. `today` is compared with the limits of the workspace; above them, conversations are held until `resets_at`, and patterns are written without the model. Recalls have limits of their own, in `today.recall`; above them they keep the order of the search. Sources that were deleted are still counted. Pass `next_cursor` as `cursor` to read on; it is null on the last page.',
  example: { query: { from: '2026-01-01' } },
  query: z.object({
    from: Day.optional(),
    to: Day.optional(),
    agent_id: AgentId.optional(),
    limit: pageLimit(),
    cursor: z.string().max(500).optional(),
  }),
  resources: { 'query.agent_id': 'agent' },
  responses: {
    200: z.object({
      usage: z.array(UsageEntry),
      next_cursor: z.string().nullable(),
      today: z.object({ ...spentToday, recall: z.object(spentToday), resets_at: Timestamp }),
    }),
  },
  refusals: [scopeMissing, agentNotOwned, refused.unknownCursor, refused.rangeReversed],
})
