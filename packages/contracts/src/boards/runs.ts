import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { paged, Timestamp, text, Uuid } from '../wire.ts'
import { boardFamily } from './boards.ts'
import { Actor } from './card-fields.ts'
import { CardChange, WrittenCard } from './cards.ts'
import { claimLost } from './claims.ts'
import { Knew } from './knew.ts'
import * as refused from './refusals.ts'
import { TaskId } from './task-ids.ts'

export const runNotFound = refusal(404, 'Run not found')
export const runOver = refusal(409, 'This run has ended')

const runStatuses = ['running', 'succeeded', 'failed', 'canceled', 'lost'] as const
const endings = ['succeeded', 'failed', 'canceled', 'lost'] as const

const Usage = z.object({
  tokens: z.int().min(0).max(1_000_000_000_000),
  cost_micros: z.int().min(0).max(1_000_000_000_000),
})
export const Run = z
  .object({
    id: Uuid,
    task_id: Uuid,
    /** Counts from 1 on each card. */
    number: z.int(),
    status: z.enum(runStatuses),
    /** The reason for the result, as free text. */
    reason: z.string().nullable(),
    summary: z.string(),
    usage: Usage,
    started_by: Actor,
    claim_epoch: z.int().nullable(),
    started_at: Timestamp,
    finished_at: Timestamp.nullable(),
    /** With `include=knew`; null for a run that was started without a context. */
    knew: Knew.nullable().optional(),
  })
  .meta({ id: 'CardRun' })
export type Run = z.infer<typeof Run>

const ofCard = {
  ...boardFamily,
  params: z.object({ task_id: TaskId }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
} as const

export const listRuns = route({
  ...ofCard,
  id: 'boards.listRuns',
  is_long: true,
  method: 'GET',
  path: '/api/v1/board/tasks/{task_id}/runs',
  summary: 'List the runs of a card, newest first',
  description:
    'A run is one attempt at the work of a card, usually by an agent, with its result, token usage and cost. With `include=knew`, each has what `work:next` told its worker: ids and versions of the parts of the context, and what was cut.',
  example: { query: { per_page: '20' } },
  query: z.object({
    ...paged(),
    include: z.enum(['knew']).optional(),
  }),
  responses: { 200: z.object({ items: z.array(Run), total: z.int(), page: z.int(), per_page: z.int() }) },
  refusals: [refused.cardNotFound],
})

export const startRun = route({
  ...ofCard,
  id: 'boards.startRun',
  method: 'POST',
  path: '/api/v1/board/tasks/{task_id}/runs',
  summary: 'Start a run',
  description: '`epoch` proves that the caller holds the claim; an older epoch gets 409.',
  example: { body: {} },
  body: z.object({ epoch: z.int().min(1).optional(), worker: text(1, 100).optional() }).default({}),
  responses: { 201: Run },
  refusals: [refused.cardNotFound, refused.boardArchived, refused.cardArchived, claimLost],
})

export const changeRun = route({
  ...boardFamily,
  id: 'boards.changeRun',
  method: 'PATCH',
  path: '/api/v1/board/runs/{run_id}',
  summary: 'Update or end a run',
  description:
    '`usage` is the total so far, not the change since the last call. A final `status` ends the run and its claim.',
  example: { body: { summary: 'Two tests fail, one is new.', usage: { tokens: 1500, cost_micros: 4200 } } },
  params: z.object({ run_id: Uuid }),
  resources: { run_id: 'run' },
  missing: runNotFound,
  body: z.object({
    status: z.enum(endings).optional(),
    reason: text(1, 500).nullable().optional(),
    summary: text(0, 16_384).optional(),
    /** Total so far, not the change since the last call. */
    usage: Usage.partial().optional(),
  }),
  responses: { 200: Run },
  refusals: [runNotFound, runOver, refused.boardArchived],
})

/** What a worker says of its card when it stops: where it goes, what came of it, and where the work is. */
const FinalChange = CardChange.pick({
  column: true,
  status: true,
  result: true,
  notes: true,
  log: true,
  review: true,
  blocked_reason: true,
  repository: true,
  branch: true,
  base_branch: true,
  commit_sha: true,
  pr_number: true,
  pr_url: true,
  pr_state: true,
  merged_at: true,
  if_version: true,
})

const RunEnd = z.object({
  status: z.enum(endings).exclude(['lost']),
  reason: text(1, 500).nullable().optional(),
  summary: text(0, 16_384).optional(),
  usage: Usage.partial().optional(),
  change: FinalChange.optional(),
  comment: text(1, 65_536).optional(),
})
export type RunEnd = z.infer<typeof RunEnd>

export const finishRun = route({
  ...boardFamily,
  id: 'boards.finishRun',
  method: 'POST',
  path: '/api/v1/board/runs/{run_id}:finish',
  summary: 'End a run, and with it the work on its card',
  description:
    'In one transaction: `comment` is added to the card, `change` is made (such as its column, result and pull request), the run ends with `status`, and the claim is released. If the claim of the run is lost, or anything else is refused, nothing is written.',
  example: {
    body: {
      status: 'succeeded',
      summary: 'The carry works.',
      usage: { tokens: 1500, cost_micros: 4200 },
      change: { branch: 'carry', pr_number: 12, pr_state: 'open' },
      comment: 'Ready for review.',
    },
  },
  params: z.object({ run_id: Uuid }),
  resources: { run_id: 'run' },
  missing: runNotFound,
  body: RunEnd,
  responses: {
    200: z.object({
      run: Run,
      task: WrittenCard,
      /** Fields of the card that were changed. */
      changed: z.array(z.string()),
      comment_id: Uuid.nullable(),
    }),
  },
  refusals: [
    runNotFound,
    runOver,
    claimLost,
    refused.boardArchived,
    refused.cardArchived,
    refused.noSuchColumn,
    refused.columnAndStatusDisagree,
    refused.noColumnForStatus,
    refused.versionMoved,
    refused.columnFull,
  ],
})
