import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { anyObject, Moment, pageLimit, queryInteger, text, Uuid, webLink, words } from '../wire.ts'
import { boardFamily, inBoard } from './boards.ts'
import { cardStatuses, cardTaskTypes, FullCard, ListedCard, priorities, prStates } from './card-fields.ts'
import { NewChecklist } from './checklists.ts'
import { claimLost } from './claims.ts'
import { CardFacets, cardFilters, cursorAndFilter, findRefusals } from './filters.ts'
import * as refused from './refusals.ts'
import { TaskId } from './task-ids.ts'

export const details = ['summary', 'standard', 'full'] as const
export type Detail = (typeof details)[number]

const longText = text(0, 65_536)
const label = words(50)
const optionalText = (max: number) => text(1, max).nullable().optional()

/** A member by id, or an agent by name. */
const WorkerInput = z.union([
  z.object({
    kind: z.literal('member'),
    id: z.union([z.int().min(1).max(2_147_483_647), z.string().regex(/^[1-9]\d{0,8}$/)]),
  }),
  z.object({ kind: z.literal('agent'), id: text(1, 100), name: text(1, 100).optional() }),
])
export type WorkerInput = z.infer<typeof WorkerInput>

/** BRD-G7: the writable fields; anything else in a body is ignored. */
const writable = {
  title: words(500),
  status: z.enum(cardStatuses),
  /** By id or by name. */
  column: text(1, 100),
  task_type: z.enum(cardTaskTypes),
  priority: z.enum(priorities),
  labels: z.array(label).max(20),
  estimate: z.number().min(0).max(1_000_000).nullable(),
  description: text(0, 4000),
  assignee: WorkerInput.nullable(),
  delegate: WorkerInput.nullable(),
  blocked_reason: text(1, 500).nullable(),
  /** At most 16 KiB: every list in `standard` detail holds it. */
  agent_context: anyObject(16_384),
  start_at: Moment.nullable(),
  due_at: Moment.nullable(),
  repository: text(1, 500).nullable(),
  branch: text(1, 255).nullable(),
  base_branch: text(1, 255).nullable(),
  commit_sha: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/, 'must be a commit hash')
    .nullable(),
  pr_number: z.int().min(1).max(2_147_483_647).nullable(),
  pr_url: webLink(2000).nullable(),
  pr_state: z.enum(prStates).nullable(),
  merged_at: Moment.nullable(),
  instructions: longText,
  acceptance_criteria: longText,
  plan: longText,
  notes: longText,
  result: longText,
  review: longText,
  log: longText,
}
/** The epoch of the caller's claim; if the claim has ended, nothing is written. */
const claim_epoch = z.int().min(1).optional()
/** The version that the caller expects, as on a move; if it differs, nothing is written. */
const if_version = z.int().optional()
export const CardChange = z.object(writable).partial().extend({ claim_epoch, if_version })
export type CardChange = z.infer<typeof CardChange>
export const NewCard = CardChange.omit({ claim_epoch: true, if_version: true }).extend({
  title: writable.title,
  client_ref: optionalText(200),
  checklist: NewChecklist.optional(),
})
export type NewCard = z.infer<typeof NewCard>

export const CardMove = z.object({
  column: text(1, 100).optional(),
  before_id: TaskId.optional(),
  after_id: TaskId.optional(),
  if_version,
  claim_epoch,
})
export type CardMove = z.infer<typeof CardMove>

const oneCard = {
  ...boardFamily,
  params: z.object({ task_id: TaskId }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
} as const

const notACursor = 'must be start or a next_cursor of this board'
export const unknownCardCursor = refusal(400, `cursor: ${notACursor}`)
export const cursorAndPage = refusal(400, 'cursor: must not be combined with page')

export const listCards = route({
  ...inBoard,
  id: 'boards.listCards',
  is_long: true,
  method: 'GET',
  path: '/api/v1/board/boards/{board_id}/tasks',
  summary: 'List the cards of a board, by column and rank',
  description:
    '`detail` is `summary`, `standard` (default) or `full`, which adds the long texts. To read a whole board, start with `cursor=start` and follow `next_cursor`: cards that move meanwhile cause neither gaps nor duplicates. The same filters, `q` and `count_by` as in `tasks:search`, with pages only.',
  example: { query: { detail: 'summary', cursor: 'start' } },
  query: z.object({
    ...cardFilters,
    detail: z.enum(details).default('standard'),
    /** 1 by default; cannot be combined with a cursor. */
    page: queryInteger(1, 1_000_000_000).optional(),
    per_page: pageLimit(),
    /**
     * `start`, then each `next_cursor`: every card that is not moved is returned exactly once, whatever happens to others,
     * and deep pages cost as much as the first.
     */
    cursor: z.string(notACursor).max(1000, notACursor).optional(),
  }),
  resources: { board_id: 'board', 'query.parent': 'card', 'query.cycle': 'cycle' },
  foreign: refused.boardOfOther,
  responses: {
    200: z.object({
      items: z.array(ListedCard),
      total: z.int(),
      /** Null when a cursor is used. */
      page: z.int().nullable(),
      per_page: z.int(),
      /** Only when a cursor is used; null on the last page. */
      next_cursor: z.string().nullable().optional(),
      facets: CardFacets.optional(),
    }),
  },
  refusals: [
    refused.boardNotFound,
    refused.boardOfOther,
    unknownCardCursor,
    cursorAndPage,
    cursorAndFilter,
    ...findRefusals,
  ],
})

/** What a caller needs to go on with a card that it has written. */
export const WrittenCard = z
  .object({
    task_id: Uuid,
    ref: z.string(),
    version: z.int(),
    /** Name of its column. */
    column: z.string(),
    /** Whether the write made the column exceed its `wip_limit`. */
    over_limit: z.boolean(),
  })
  .meta({ id: 'WrittenCard' })
export type WrittenCard = z.infer<typeof WrittenCard>

export const createCard = route({
  ...inBoard,
  id: 'boards.createCard',
  method: 'POST',
  path: '/api/v1/board/boards/{board_id}/tasks',
  summary: 'Create a card at the end of a column',
  description:
    'Only `title` is required. `column` takes an id or a name; the default is the first column. `client_ref` is your own name for the card: a second card of the board with the same one gets 409. With `return=receipt`, the response has only what you need to go on with the card.',
  example: {
    body: {
      title: 'Carry over between wheels',
      description: 'The tens carriage loses one in nine.',
      priority: 'high',
      labels: ['mechanics'],
      acceptance_criteria: '- [ ] 999 + 1 is 1000',
    },
  },
  query: z.object({ return: z.enum(['full', 'receipt']).optional() }),
  body: NewCard,
  responses: { 201: z.union([FullCard, WrittenCard]) },
  refusals: [
    refused.boardNotFound,
    refused.boardArchived,
    refused.noSuchColumn,
    refused.noSuchMember,
    refused.columnAndStatusDisagree,
    refused.noColumnForStatus,
    refused.clientRefTaken,
    refused.columnFull,
  ],
})

export const getCard = route({
  ...oneCard,
  id: 'boards.getCard',
  method: 'GET',
  path: '/api/v1/board/tasks/{task_id}',
  summary: 'Get a card with all fields',
  description: 'Includes the long texts, and an `ETag` to send as `If-Match` with a change.',
  responses: { 200: FullCard },
  refusals: [refused.cardNotFound],
})

export const Receipt = z
  .object({
    task_id: Uuid,
    changed: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
    from_column: z.string(),
    to_column: z.string(),
  })
  .meta({ id: 'CardReceipt' })
export type Receipt = z.infer<typeof Receipt>

export const changeCard = route({
  ...oneCard,
  id: 'boards.changeCard',
  versioned: true,
  method: 'PATCH',
  path: '/api/v1/board/tasks/{task_id}',
  summary: 'Change a card',
  description:
    'Only the fields in the body change; unknown fields are ignored. With `return=receipt`, the response lists what changed instead of the whole card. With `If-Match`, the change gets 412 if someone else has changed the card.',
  example: { body: { priority: 'urgent', labels: ['mechanics', 'bug'] } },
  query: z.object({ return: z.enum(['full', 'receipt']).optional() }),
  body: CardChange,
  responses: { 200: z.union([FullCard, Receipt]) },
  refusals: [
    refused.cardNotFound,
    refused.boardArchived,
    refused.cardArchived,
    refused.noSuchColumn,
    refused.noSuchMember,
    refused.columnAndStatusDisagree,
    refused.noColumnForStatus,
    refused.versionMoved,
    refused.columnFull,
    claimLost,
  ],
})

export const moveCard = route({
  ...oneCard,
  id: 'boards.moveCard',
  versioned: true,
  method: 'POST',
  path: '/api/v1/board/tasks/{task_id}/move',
  summary: 'Move a card',
  description:
    '`column` takes an id or a name. Without `before_id` or `after_id`, the card goes to the end of the column.',
  example: { body: { after_id: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f' } },
  body: CardMove,
  resources: { task_id: 'card', 'body.before_id': 'card_below', 'body.after_id': 'card_above' },
  responses: { 200: Receipt },
  refusals: [
    refused.cardNotFound,
    refused.boardArchived,
    refused.cardArchived,
    refused.noSuchColumn,
    refused.noSuchNeighbour,
    refused.versionMoved,
    refused.columnFull,
    claimLost,
  ],
})

export const archiveCard = route({
  ...oneCard,
  id: 'boards.archiveCard',
  versioned: true,
  method: 'POST',
  path: '/api/v1/board/tasks/{task_id}/archive',
  summary: 'Archive a card',
  description:
    'Lists and exports omit archived cards, and the claim ends. The card stays readable by its id and can be restored. Workers send the epoch of their claim; if it is out of date, nothing is written.',
  example: { body: {} },
  body: z.object({ claim_epoch }).default({}),
  responses: { 200: FullCard },
  refusals: [refused.cardNotFound, refused.boardArchived, claimLost],
})

export const restoreCard = route({
  ...oneCard,
  id: 'boards.restoreCard',
  versioned: true,
  method: 'POST',
  path: '/api/v1/board/tasks/{task_id}/restore',
  summary: 'Restore an archived card to its place',
  description: 'Repeating the call changes nothing.',
  responses: { 200: FullCard },
  refusals: [refused.cardNotFound, refused.boardArchived],
})
