import { z } from 'zod'
import { refusal, refusalOf } from '../refusal.ts'
import { route } from '../route.ts'
import { inBoard } from './boards.ts'
import { CardChange, CardMove, NewCard, WrittenCard } from './cards.ts'
import * as refused from './refusals.ts'
import { relationKinds } from './relations.ts'
import { TaskId } from './task-ids.ts'

/** A child and a relation of a new card count as much as an operation. */
export const mostOperations = 100
const mostChildren = 50

export const batchTooLarge = refusal(
  400,
  `operations: children and relations included, there are more than ${mostOperations}`,
)
/** Of all checklists together. */
export const mostBatchItems = 1000
export const checklistsTooLong = refusal(
  400,
  `operations: checklists have more than ${mostBatchItems} items together`,
)
/** Of a batch that is written as a whole or not at all. */
export const operationRefused = refusalOf(
  409,
  'An operation of an atomic batch was refused',
  (refusal: { readonly operation: number; readonly status: number; readonly detail: unknown }) => ({
    error: 'operation_refused',
    message: `Operation ${refusal.operation} was refused, so nothing was written`,
    ...refusal,
  }),
)

const NewTask = NewCard.meta({ id: 'NewBoardTask' })
const Create = z.object({
  op: z.literal('create'),
  task: NewTask,
  /** Become cards of the same board, whose parent is the new one. */
  children: z.array(NewTask).min(1).max(mostChildren).optional(),
  /** What the new card is to others of the workspace, on any board. */
  relations: z
    .array(z.object({ kind: z.enum(relationKinds), other_id: TaskId }))
    .min(1)
    .max(mostChildren)
    .optional(),
})
const Change = z.object({
  op: z.literal('change'),
  task_id: TaskId,
  change: CardChange.meta({ id: 'BoardTaskChange' }),
})
const Move = CardMove.extend({ op: z.literal('move'), task_id: TaskId })
const Archive = CardMove.pick({ if_version: true, claim_epoch: true }).extend({
  op: z.literal('archive'),
  task_id: TaskId,
})

const Operation = z.discriminatedUnion('op', [Create, Change, Move, Archive])
export type Operation = z.infer<typeof Operation>

export const OperationResult = z
  .object({
    /** That of the single call: 201 for a new card, 200 for another, or the status of the refusal. */
    status: z.int(),
    /** The card as it was left, unless the operation was refused. */
    task: WrittenCard.optional(),
    /** Fields that a change or a move has changed. */
    changed: z.array(z.string()).optional(),
    children: z.array(WrittenCard).optional(),
    /** Why the operation was refused, as the single call says it. */
    detail: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  })
  .meta({ id: 'BoardOperationResult' })
export type OperationResult = z.infer<typeof OperationResult>

const Results = z.object({
  /** One for each operation, in their order. */
  results: z.array(OperationResult),
})

export const writeBatch = route({
  ...inBoard,
  id: 'boards.writeBatch',
  method: 'POST',
  path: '/api/v1/board/boards/{board_id}/tasks:batch',
  summary: 'Create, change, move and archive up to 100 cards',
  description:
    'The operations are carried out in order, each under the rules of its single call, in one transaction. One that is refused changes nothing and does not stop the others: the response is 207, with a result for each. With `atomic: true`, one that is refused undoes all: the response is 200, or 409 that names the operation. A new card may bring `children` and `relations`; each of them counts as an operation. Checklists of new cards have at most 1,000 items together. Changed cards have to be on the board. `if_version` guards an operation as `If-Match` guards a single call.',
  example: {
    body: {
      atomic: true,
      operations: [
        {
          op: 'create',
          task: { title: 'Print the results', labels: ['printing'] },
          children: [{ title: 'Cast the type' }, { title: 'Ink the wheels' }],
        },
        {
          op: 'change',
          task_id: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f',
          change: { priority: 'high' },
        },
      ],
    },
  },
  body: z.object({
    atomic: z.boolean().default(false),
    operations: z.array(Operation).min(1).max(mostOperations),
  }),
  resources: {
    board_id: 'board',
    'body.operations.task_id': 'card',
    'body.operations.before_id': 'card_below',
    'body.operations.after_id': 'card_above',
    'body.operations.relations.other_id': 'card_above',
  },
  responses: { 200: Results, 207: Results },
  refusals: [
    refused.boardNotFound,
    refused.boardArchived,
    batchTooLarge,
    checklistsTooLong,
    operationRefused,
  ],
})
