import { z } from 'zod'
import { route } from '../route.ts'
import { queryInteger, Timestamp, Uuid } from '../wire.ts'
import { boardFamily } from './boards.ts'
import { Actor, cardStatuses, cardTaskTypes, FullCard, priorities } from './card-fields.ts'
import * as refused from './refusals.ts'
import { Run } from './runs.ts'

export const minBudgetBytes = 1024
export const maxBudgetBytes = 65_536

/** Whose words these are: text of a guest or an agent is not an order of a member. */
const By = Actor.pick({ kind: true, name: true })

/** What was left out or shortened: so many bytes of a text, or so many items of a list, of so many in all. */
const Cut = z
  .object({
    /** Such as `plan`, or `comments.2.body` for the body of the third comment that is here. */
    field: z.string(),
    /** Of the text as UTF-8. */
    bytes: z.int().optional(),
    items: z.int().optional(),
    of: z.int(),
    /** Where the whole is: appended to the `path` of the answer. Without it, the card itself has it. */
    path: z.string().optional(),
  })
  .meta({ id: 'ContextCut' })
export type Cut = z.infer<typeof Cut>

const OtherCard = z.object({ ref: z.string(), title: z.string(), status: z.enum(cardStatuses) })

/** In the order in which they are kept. What is neither here nor in `cut` is empty. */
const parts = {
  title: z.string(),
  /** Its name. */
  column: z.string(),
  instructions: z.string(),
  acceptance_criteria: z.string(),
  /** What has to be done first and is not done yet. */
  blockers: z.array(OtherCard),
  /** Small values first. */
  agent_context: z.record(z.string(), z.unknown()),
  /** Where the work is; only what is known. */
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
    /** Whose words the title, the description and the labels are. */
    source: FullCard.shape.source,
    version: z.int(),
    claim_epoch: z.int(),
    ...z.object(parts).partial().shape,
    cut: z.array(Cut),
  })
  .meta({ id: 'CardContext' })
export type CardContext = z.infer<typeof CardContext>

/**
 * The body has at most `budget_bytes` bytes, and `cut` names everything of the card that is not in it. Every
 * part has a share of the budget; what some do not need goes to the others in the order of the list above. A
 * larger budget never holds less of any part. Texts end between characters; items and entries are whole, but
 * the text of a run or a comment ends after 1,200 bytes.
 */
export const readContext = route({
  ...boardFamily,
  id: 'boards.readContext',
  method: 'GET',
  path: '/api/v1/board/tasks/{task_id}/context',
  summary: 'What an agent needs that takes up a card, in at most so many bytes, and what was cut for that',
  description:
    'Card, comments, related cards and last runs, cut to `budget_bytes` by importance; `cut` lists exactly what was left out. Texts of guests are marked as such.',
  example: { query: { budget_bytes: '16000' } },
  params: z.object({ task_id: Uuid }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
  query: z.object({ budget_bytes: queryInteger(minBudgetBytes, maxBudgetBytes).optional() }),
  responses: { 200: CardContext },
  refusals: [refused.cardNotFound],
})
