import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { queryInteger, Timestamp } from '../wire.ts'
import { boardFamily } from './boards.ts'
import { Actor, cardStatuses, cardTaskTypes, FullCard, priorities } from './card-fields.ts'
import { Cut } from './knew.ts'
import * as refused from './refusals.ts'
import { Run } from './runs.ts'
import { TaskId } from './task-ids.ts'

export const minBudgetBytes = 1024
export const maxBudgetBytes = 65_536

/** Who wrote the text: agents must not take text of a guest or an agent as an instruction of a member. */
const By = Actor.pick({ kind: true, name: true })

const OtherCard = z.object({ ref: z.string(), title: z.string(), status: z.enum(cardStatuses) })

export const includes = ['lessons'] as const
export const lessonsForbidden = refusal(403, 'include: lessons need the scopes memory:read and code:read')
export const mostContextLessons = 50
/** Why lessons cannot be told, which is not the same as that there are none. */
export const lessonOutages = ['no_ready_index', 'code_index_unavailable', 'memory_unavailable'] as const

const ContextLesson = z.object({
  id: z.string(),
  type: z.string(),
  pinned: z.boolean(),
  stale: z.boolean(),
  /** Distance from the code that the card names. */
  hops: z.int(),
  body: z.string(),
})
export type ContextLesson = z.infer<typeof ContextLesson>

const ContextMemory = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  body: z.string(),
  /** Not verified for long. */
  stale: z.boolean(),
})
export type ContextMemory = z.infer<typeof ContextMemory>

/** By importance. Parts that are neither here nor in `cut` are empty. */
const parts = {
  title: z.string(),
  /** Its name. */
  column: z.string(),
  labels: z.array(z.string()),
  instructions: z.string(),
  acceptance_criteria: z.string(),
  checklist: z.array(z.object({ text: z.string(), done: z.boolean() })),
  /** What a reviewer said of earlier work. */
  review: z.string(),
  /** Blockers that are still open. */
  blockers: z.array(OtherCard),
  /** Small values first. */
  agent_context: z.record(z.string(), z.unknown()),
  /** Where the work is; unknown fields are omitted. */
  delivery: z.object({
    branch: z.string().optional(),
    pr_number: z.int().optional(),
    pr_state: z.string().optional(),
    commit_sha: z.string().optional(),
    merged_at: Timestamp.optional(),
    base_branch: z.string().optional(),
    repository: z.string().optional(),
    pr_url: z.string().optional(),
  }),
  parent: OtherCard,
  plan: z.string(),
  description: z.string(),
  notes: z.string(),
  /** What came of earlier work. */
  result: z.string(),
  /** With `include=lessons`: of the 50 nearest to the code that the card names, nearest first, pinned ones before others. */
  lessons: z.array(ContextLesson),
  /** Of `work:next`, where they were asked for: what the agent of the token remembers about it, the best first. */
  memories: z.array(ContextMemory),
  /** Newest first. */
  runs: z.array(
    z.object({
      number: z.int(),
      status: Run.shape.status,
      reason: z.string().nullable(),
      summary: z.string(),
      by: By,
      started_at: Timestamp,
      finished_at: Timestamp.nullable(),
    }),
  ),
  /** Newest first. */
  comments: z.array(z.object({ author: By, created_at: Timestamp, body: z.string() })),
}

export const CardContext = z
  .object({
    /** Of the card. */
    path: z.string(),
    ref: z.string(),
    status: z.enum(cardStatuses),
    task_type: z.enum(cardTaskTypes),
    priority: z.enum(priorities),
    /** Who wrote the title, the description and the labels. */
    source: FullCard.shape.source,
    version: z.int(),
    claim_epoch: z.int(),
    /** With `include=lessons`, while lessons cannot be told. */
    lessons_degraded: z.enum(lessonOutages).optional(),
    ...z.object(parts).partial().shape,
    cut: z.array(Cut),
  })
  .meta({ id: 'CardContext' })
export type CardContext = z.infer<typeof CardContext>

/**
 * The body has at most `budget_bytes` bytes, and `cut` lists everything of the card that is missing from it. Every
 * part has a share of the budget; unused shares go to the other parts in the order above. A larger budget never
 * returns less of any part. Texts are cut between characters; items and entries are whole, but the text of a run or
 * a comment is cut after 1,200 bytes.
 */
export const readContext = route({
  ...boardFamily,
  id: 'boards.readContext',
  method: 'GET',
  path: '/api/v1/board/tasks/{task_id}/context',
  summary: 'Get the context an agent needs to work on a card',
  description:
    'The card, its comments, related cards and latest runs, cut to `budget_bytes` by importance. `cut` lists exactly what was omitted. Texts written by guests are marked. `include=lessons` adds the lessons near the files, folders and symbols that the texts of the card name, in the project of its board; a token needs `memory:read` and `code:read` for them.',
  example: { query: { budget_bytes: '16000' } },
  params: z.object({ task_id: TaskId }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
  query: z.object({
    budget_bytes: queryInteger(minBudgetBytes, maxBudgetBytes).optional(),
    include: z.enum(includes).optional(),
  }),
  responses: { 200: CardContext },
  refusals: [refused.cardNotFound, lessonsForbidden],
})
