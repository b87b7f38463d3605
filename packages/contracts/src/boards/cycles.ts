import { z } from 'zod'
import { job } from '../job.ts'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { isOnCalendar, paged, pageLimit, Timestamp, text, Uuid, words } from '../wire.ts'
import { boardFamily, inBoard } from './boards.ts'
import { Actor } from './card-fields.ts'
import { ChildCard } from './children.ts'
import * as refused from './refusals.ts'
import { TaskId } from './task-ids.ts'

export const mostCycles = 500

export const cycleNotFound = refusal(404, 'Cycle not found')
export const cyclesOverlap = refusal(409, 'Another cycle of this board has some of these days')
export const cycleLimit = refusal(409, `A board has at most ${mostCycles} cycles`)
export const cycleClosed = refusal(409, 'This cycle is closed')
export const cycleNotEmpty = refusal(409, 'Cards are in this cycle; take them out first')
export const otherCycleActive = refusal(409, 'Another cycle of this board is active; close it first')
export const cycleNotStarted = refusal(409, 'This cycle has not been started')
export const daysOutOfOrder = refusal(400, 'ends_on: must not be before starts_on')
export const noSuchNextCycle = refusal(400, 'carry_to: no such other cycle of this board that is not closed')
export const cardOfOtherBoard = refusal(409, 'task_ids: a card is on another board than the cycle')

/** A day of the calendar of the team, without a time and a zone. */
const Day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/, 'must be a day such as 2026-03-09')
  .refine((day) => isOnCalendar(`${day}T00:00:00Z`), 'must be a day of the calendar')

const Amount = z
  .object({
    cards: z.int(),
    /** Sum of the estimates, in the unit of the team. */
    estimate: z.number(),
  })
  .meta({ id: 'CycleAmount' })
const Scope = z
  .object({
    /** When it was started; null before. */
    planned: Amount.nullable(),
    /** Of the cards now, those that came after the start. */
    added: Amount,
    /** Of the planned ones, those that were taken out, archived or canceled since. */
    removed_cards: z.int(),
    total: Amount,
    done: Amount,
    open: Amount,
    /** Cards without an estimate. */
    unestimated: z.int(),
  })
  .meta({ id: 'CycleScope' })
export type Scope = z.infer<typeof Scope>

export const Cycle = z
  .object({
    id: Uuid,
    board_id: Uuid,
    name: z.string().max(100),
    goal: z.string().max(2000),
    starts_on: z.string(),
    /** The last day that belongs to it. */
    ends_on: z.string(),
    status: z.enum(['planned', 'active', 'closed']),
    started_at: Timestamp.nullable(),
    closed_at: Timestamp.nullable(),
    /** Now, of all cards in it that are neither archived nor canceled; as it was when it was closed. */
    scope: Scope,
    /** Open cards of a closed cycle that are still on their way: more than 200 are carried in batches. */
    cards_changing: z.int(),
    created_at: Timestamp,
  })
  .meta({ id: 'Cycle' })
export type Cycle = z.infer<typeof Cycle>

const one = {
  ...boardFamily,
  params: z.object({ cycle_id: Uuid }),
  resources: { cycle_id: 'cycle' },
  missing: cycleNotFound,
} as const
const ofCard = {
  ...boardFamily,
  path: '/api/v1/board/tasks/{task_id}/cycle',
  params: z.object({ task_id: TaskId }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
} as const

export const listCycles = route({
  ...inBoard,
  id: 'boards.listCycles',
  method: 'GET',
  path: '/api/v1/board/boards/{board_id}/cycles',
  summary: 'List the cycles of a board, the latest first',
  description: 'Each with its scope: what was planned, what was added since, what is done and what is open.',
  example: { query: { per_page: '20' } },
  query: z.object({ ...paged() }),
  responses: {
    200: z.object({ items: z.array(Cycle), total: z.int(), page: z.int(), per_page: z.int() }),
  },
  refusals: [refused.boardNotFound],
})

export const createCycle = route({
  ...inBoard,
  id: 'boards.createCycle',
  method: 'POST',
  path: '/api/v1/board/boards/{board_id}/cycles',
  summary: 'Create a cycle of a board',
  description:
    'Both days belong to it. Cycles of a board must not overlap. It is `planned` until it is started.',
  example: { body: { name: 'Cycle 1', starts_on: '2026-03-09', ends_on: '2026-03-22' } },
  body: z.object({ name: words(100), goal: text(0, 2000).optional(), starts_on: Day, ends_on: Day }),
  responses: { 201: Cycle },
  refusals: [refused.boardNotFound, refused.boardArchived, daysOutOfOrder, cyclesOverlap, cycleLimit],
})

export const getCycle = route({
  ...one,
  id: 'boards.getCycle',
  method: 'GET',
  path: '/api/v1/board/cycles/{cycle_id}',
  summary: 'Get a cycle with its scope',
  description: 'The sums are kept up to date with every change of its cards.',
  responses: { 200: Cycle },
  refusals: [cycleNotFound],
})

export const changeCycle = route({
  ...one,
  id: 'boards.changeCycle',
  method: 'PATCH',
  path: '/api/v1/board/cycles/{cycle_id}',
  summary: 'Change the name, goal or days of a cycle',
  description: 'Only the fields in the body change. A closed cycle keeps its days.',
  example: { body: { goal: 'The crank turns.' } },
  body: z.object({
    name: words(100).optional(),
    goal: text(0, 2000).optional(),
    starts_on: Day.optional(),
    ends_on: Day.optional(),
  }),
  responses: { 200: Cycle },
  refusals: [cycleNotFound, refused.boardArchived, cycleClosed, daysOutOfOrder, cyclesOverlap],
})

export const removeCycle = route({
  ...one,
  id: 'boards.removeCycle',
  method: 'DELETE',
  path: '/api/v1/board/cycles/{cycle_id}',
  summary: 'Remove a cycle without cards',
  description: 'One that has cards, also finished ones, is refused.',
  responses: { 200: z.object({ removed: z.literal(true) }) },
  refusals: [cycleNotFound, refused.boardArchived, cycleNotEmpty],
})

export const listCycleCards = route({
  ...one,
  id: 'boards.listCycleCards',
  method: 'GET',
  path: '/api/v1/board/cycles/{cycle_id}/tasks',
  summary: 'List the cards of a cycle',
  description:
    'In the order of their ids; archived ones are omitted. `after` is the `next_after` of the page before.',
  example: { query: { limit: '50' } },
  query: z.object({ after: Uuid.optional(), limit: pageLimit() }),
  responses: { 200: z.object({ items: z.array(ChildCard), next_after: Uuid.nullable() }) },
  refusals: [cycleNotFound],
})

export const addCycleCards = route({
  ...one,
  id: 'boards.addCycleCards',
  method: 'POST',
  path: '/api/v1/board/cycles/{cycle_id}/tasks',
  summary: 'Put cards into a cycle',
  description:
    'Up to 100 cards of its board, by id or ref, all or none. A card is in one cycle at most and leaves the one before. Returns the cycle.',
  example: { body: { task_ids: ['3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f'] } },
  body: z.object({ task_ids: z.array(TaskId).min(1).max(100) }),
  resources: { cycle_id: 'cycle', 'body.task_ids': 'card' },
  responses: { 200: Cycle },
  refusals: [cycleNotFound, refused.boardArchived, cycleClosed, refused.cardNotFound, cardOfOtherBoard],
})

export const getCardCycle = route({
  ...ofCard,
  id: 'boards.getCardCycle',
  method: 'GET',
  summary: 'Get the cycle of a card',
  description: 'Null for a card that is in none.',
  responses: { 200: z.object({ cycle: Cycle.nullable() }) },
  refusals: [refused.cardNotFound],
})

export const leaveCycle = route({
  ...ofCard,
  id: 'boards.leaveCycle',
  method: 'DELETE',
  summary: 'Take a card out of its cycle',
  description: 'Repeating the call changes nothing.',
  responses: { 200: z.object({ cycle: z.null() }) },
  refusals: [refused.cardNotFound, refused.boardArchived],
})

export const startCycle = route({
  ...one,
  id: 'boards.startCycle',
  method: 'POST',
  path: '/api/v1/board/cycles/{cycle_id}:start',
  summary: 'Start a cycle',
  description:
    'What is in it now is what was planned; cards that come later count as added. A board has one active cycle. Repeating the call changes nothing.',
  responses: { 200: Cycle },
  refusals: [cycleNotFound, refused.boardArchived, cycleClosed, otherCycleActive],
})

export const closeCycle = route({
  ...one,
  id: 'boards.closeCycle',
  method: 'POST',
  path: '/api/v1/board/cycles/{cycle_id}:close',
  summary: 'Close a cycle and carry its open cards over',
  description:
    'Open cards go to `carry_to`, by default to the next cycle of the board that is not closed; without one, or with null, they leave the cycle. Up to 200 at once, more in batches. Finished cards stay. Repeating the call changes nothing.',
  example: { body: {} },
  body: z.object({ carry_to: Uuid.nullable().optional() }).default({}),
  resources: { cycle_id: 'closing_cycle', 'body.carry_to': 'cycle' },
  responses: { 200: Cycle },
  refusals: [cycleNotFound, refused.boardArchived, cycleNotStarted, noSuchNextCycle],
})

/** Carries open cards out of a closed cycle in batches. */
export const carryCycle = job({
  name: 'boards.carry-cycle',
  payload: z.object({ brand_id: z.int(), board_id: Uuid, cycle_id: Uuid, actor: Actor }),
  // Each batch commits, so another attempt continues where the last one stopped.
  retry_seconds: [5, 30, 300, 600, 1800, 7200],
  limit_seconds: 1800,
  batch_size: 4,
})
