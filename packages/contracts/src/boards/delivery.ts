import { z } from 'zod'
import { route } from '../route.ts'
import { Timestamp, text, Uuid } from '../wire.ts'
import { boardFamily, inBoard } from './boards.ts'
import { prStates } from './card-fields.ts'
import { checkStates, hookServices } from './hooks.ts'
import * as refused from './refusals.ts'
import { TaskId } from './task-ids.ts'

const Repository = z.string().max(500).describe('The address of its hook')
const most = 20

export const CardDelivery = z
  .object({
    commit_sha: z.string().max(64).nullable(),
    /** Of that commit, all suites taken together; null without any. */
    checks: z.enum(checkStates).nullable(),
    suites: z
      .array(
        z.object({
          id: z.int(),
          service: z.enum(hookServices),
          state: z.enum(checkStates),
          repository: Repository,
        }),
      )
      .max(most),
    pull_requests: z
      .array(
        z.object({
          number: z.int(),
          url: z.string().max(1000),
          state: z.enum(prStates),
          branch: z.string().max(255),
          head_sha: z.string().max(64),
          merged_at: Timestamp.nullable(),
          opened_at: Timestamp,
          /** Whether its state is that of the card. */
          shown: z.boolean(),
        }),
      )
      .max(most),
    /** Those whose message names the card. */
    commits: z.array(z.object({ sha: z.string().max(64), at: Timestamp, repository: Repository })).max(most),
  })
  .meta({ id: 'CardDelivery' })
export type CardDelivery = z.infer<typeof CardDelivery>

export const getDelivery = route({
  ...boardFamily,
  id: 'boards.getDelivery',
  method: 'GET',
  path: '/api/v1/board/tasks/{task_id}/delivery',
  summary: 'Get what repositories have told of a card',
  description:
    'Pull requests, checks and commits from the hooks of the workspace, the newest first and at most 20 of each. Checks are those of `commit_sha`.',
  params: z.object({ task_id: TaskId }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
  responses: { 200: CardDelivery },
  refusals: [refused.cardNotFound],
})

const MergeMove = z
  .object({
    /** Where cards go; null if they stay. */
    column: z.object({ id: Uuid, name: z.string() }).nullable(),
  })
  .meta({ id: 'MergeMove' })

export const getMergeMove = route({
  ...inBoard,
  id: 'boards.getMergeMove',
  method: 'GET',
  path: '/api/v1/board/boards/{board_id}/on-merge',
  summary: 'Get what a merged pull request does to cards of a board',
  description: 'By default nothing: cards stay in their column.',
  responses: { 200: MergeMove },
  refusals: [refused.boardNotFound],
})

export const setMergeMove = route({
  ...inBoard,
  id: 'boards.setMergeMove',
  method: 'PUT',
  path: '/api/v1/board/boards/{board_id}/on-merge',
  summary: 'Move cards of a board when their pull request is merged',
  description:
    '`column` takes an id or a name; null switches it off. Each merge moves a card once, and none that is done or canceled. If the column is removed, cards stay again.',
  example: { body: { column: null } },
  body: z.object({ column: text(1, 100).nullable() }),
  responses: { 200: MergeMove },
  refusals: [refused.boardNotFound, refused.boardArchived, refused.noSuchColumn],
})
