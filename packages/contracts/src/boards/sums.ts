import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { isOnCalendar, paged, Uuid } from '../wire.ts'
import { boardFamily } from './boards.ts'
import { separated } from './filters.ts'
import { BoardIds } from './master.ts'
import * as refused from './refusals.ts'

export const sumDimensions = ['board', 'agent', 'person', 'week'] as const
export type SumDimension = (typeof sumDimensions)[number]
export const mostSumWeeks = 53
export const weeksReversed = refusal(400, 'to: must not be before from')
export const tooManyWeeks = refusal(400, `from: at most ${mostSumWeeks} weeks`)

/** Lead times are counted up to these, in seconds: from an hour to 30 days. */
export const leadBounds = [3600, 28_800, 86_400, 259_200, 604_800, 1_209_600, 2_592_000] as const

const notADate = 'must be a date such as 2026-01-31'
const asDate = { format: 'date', examples: ['2026-01-31'] }
const dayForm = /^\d{4}-\d\d-\d\d$/
const Day = z
  .string()
  .regex(dayForm, notADate)
  .refine((day) => isOnCalendar(`${day}T00:00`), notADate)
  .meta(asDate)
/** The first week of 1970 began in the year before. */
const Week = z.string().regex(dayForm).meta(asDate)

const By = separated(sumDimensions.length)
  .transform((parts) => parts.map((part) => part.trim()))
  .pipe(z.array(z.enum(sumDimensions)).min(1))
  .meta({ override: { type: 'string' } })

const LeadTime = z.object({
  /** From creation to completion, of all cards together; each in whole seconds. */
  total_seconds: z.int(),
  /** Null without cards. */
  mean_seconds: z.number().nullable(),
  /** Half of the cards took no longer than this bound; null if it was longer than the longest. */
  p50_within_seconds: z.int().nullable(),
  p85_within_seconds: z.int().nullable(),
  /** How many cards took no longer than each bound. */
  within: z.array(z.object({ seconds: z.int(), cards: z.int() })).max(leadBounds.length),
})

const BoardSum = z
  .object({
    /** What it is the sum of; only what `by` names. */
    board: z.object({ id: Uuid, key: z.string().max(10), name: z.string().max(200) }).optional(),
    /** Null for work without an agent. Agents are told apart by id and name. */
    agent: z.object({ id: z.string(), name: z.string() }).nullable().optional(),
    /** Null for work without a person. Somebody who was erased is a former member. */
    person: z.object({ user_id: z.int(), name: z.string().nullable() }).nullable().optional(),
    /** Its Monday, UTC. */
    week: Week.optional(),
    cards_done: z.int(),
    lead_time: LeadTime,
    tokens: z.int(),
    cost_micros: z.int(),
  })
  .meta({ id: 'BoardSum' })
export type BoardSum = z.infer<typeof BoardSum>

export const listSums = route({
  ...boardFamily,
  id: 'boards.listSums',
  method: 'GET',
  path: '/api/v1/board/sums',
  summary: 'Sum up cards done, lead time, tokens and cost by board, agent, person and week',
  description:
    '`by` names one or several of `board`, `agent`, `person` and `week`, separated by commas. Weeks begin on Monday, UTC; those of `from` to `to` count, at most 53, by default the last 12. A card that is done counts in the week in which it was completed, archived or not: for the agent that ran last, or else its delegate or assignee, and for the person it is assigned to, or else on whose behalf that agent ran. A card that is reopened leaves its week. Tokens and cost count in the week in which the run began, for the agent that ran and the person on whose behalf. The newest week comes first, then most cards done. An unknown parameter gets 400 with the known names.',
  example: { query: { by: 'agent,week', from: '2026-01-01', to: '2026-03-31' } },
  query: z.strictObject({
    by: By,
    from: Day.optional(),
    to: Day.optional(),
    board_ids: BoardIds.optional(),
    ...paged(),
  }),
  resources: { 'query.board_ids': 'board' },
  responses: {
    200: z.object({
      items: z.array(BoardSum),
      total: z.int(),
      page: z.int(),
      per_page: z.int(),
      /** The first and the last week that count. */
      from: Week,
      to: Week,
    }),
  },
  refusals: [refused.boardsOfOther, weeksReversed, tooManyWeeks],
})
