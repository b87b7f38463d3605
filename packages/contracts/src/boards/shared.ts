import { z } from 'zod'
import { person, route } from '../route.ts'
import { paged, pageLimit, Timestamp, text, Uuid } from '../wire.ts'
import { commenterRequired, editorRequired, GuestRole } from '../workspaces/guests.ts'
import { Column } from './boards.ts'
import { details } from './cards.ts'
import { noSuchParent } from './comments.ts'
import { guestFilters, tooManyFound } from './filters.ts'
import * as refused from './refusals.ts'
import { GuestCardChange, GuestNewCard, SharedCard, SharedComment, SharedListedCard } from './shared-cards.ts'
import { TaskId } from './task-ids.ts'

const boardFields = {
  id: Uuid,
  brand_id: z.int(),
  key: z.string(),
  name: z.string(),
  description: z.string(),
  card_count: z.int(),
  archived_at: Timestamp.nullable(),
  role: GuestRole,
  added_at: Timestamp,
}
/** A board of another workspace, as its guest sees it. */
export const SharedBoardSummary = z.object(boardFields).meta({ id: 'SharedBoardSummary' })
export type SharedBoardSummary = z.infer<typeof SharedBoardSummary>
export const SharedBoard = z.object({ ...boardFields, columns: z.array(Column) }).meta({ id: 'SharedBoard' })
export type SharedBoard = z.infer<typeof SharedBoard>

// Sessions only: a token acts for one workspace and must not reach others.
const family = { auth: person('session'), invalid: 400, dry_run: true } as const
const oneBoard = {
  ...family,
  params: z.object({ board_id: Uuid }),
  resources: { board_id: 'shared_board' },
  missing: refused.boardNotFound,
} as const
const oneCard = {
  ...family,
  params: z.object({ board_id: Uuid, task_id: TaskId }),
  resources: { board_id: 'shared_board', task_id: 'shared_card' },
  missing: refused.cardNotFound,
} as const

export const listSharedBoards = route({
  ...family,
  id: 'boards.listSharedBoards',
  method: 'GET',
  path: '/api/v1/board/shared',
  summary: 'List the boards that other workspaces share with the caller',
  description:
    'For guests. Requires a session, because a token acts for one workspace only. `role` says what the caller may do.',
  example: { query: { limit: '50' } },
  query: z.object({ after: Uuid.optional(), limit: pageLimit() }),
  responses: { 200: z.object({ boards: z.array(SharedBoardSummary), next_after: Uuid.nullable() }) },
})

export const getSharedBoard = route({
  ...oneBoard,
  id: 'boards.getSharedBoard',
  method: 'GET',
  path: '/api/v1/board/shared/{board_id}',
  summary: 'Get a shared board with its columns',
  description: 'For guests. Returns the columns and the caller’s role.',
  responses: { 200: SharedBoard },
  refusals: [refused.boardNotFound],
})

export const listSharedCards = route({
  ...oneBoard,
  id: 'boards.listSharedCards',
  is_long: true,
  method: 'GET',
  path: '/api/v1/board/shared/{board_id}/tasks',
  summary: 'List the cards of a shared board, by column and rank',
  description:
    'For guests. `detail` is `summary` (default), `standard` or `full`. Fields meant for agents are omitted. `q` and the filters on what guests see are as in `tasks:search`.',
  example: { query: { detail: 'summary' } },
  query: z.object({
    ...guestFilters,
    detail: z.enum(details).default('summary'),
    ...paged({ pages: 1_000_000_000 }),
  }),
  responses: {
    200: z.object({ items: z.array(SharedListedCard), total: z.int(), page: z.int(), per_page: z.int() }),
  },
  refusals: [refused.boardNotFound, tooManyFound],
})

const columnRefusals = [
  refused.noSuchColumn,
  refused.columnAndStatusDisagree,
  refused.noColumnForStatus,
] as const

export const createSharedCard = route({
  ...oneBoard,
  id: 'boards.createSharedCard',
  method: 'POST',
  path: '/api/v1/board/shared/{board_id}/tasks',
  summary: 'Create a card on a shared board',
  description:
    'For guests who are editors. Agents get a card of a guest only after a member has taken it over.',
  example: { body: { title: 'The crank is hard to turn', priority: 'low' } },
  body: GuestNewCard,
  responses: { 201: SharedCard },
  refusals: [refused.boardNotFound, editorRequired, refused.boardArchived, ...columnRefusals],
})

export const getSharedCard = route({
  ...oneCard,
  id: 'boards.getSharedCard',
  method: 'GET',
  path: '/api/v1/board/shared/{board_id}/tasks/{task_id}',
  summary: 'Get a card of a shared board',
  description: 'For guests. Fields meant for agents are omitted.',
  responses: { 200: SharedCard },
  refusals: [refused.cardNotFound],
})

export const changeSharedCard = route({
  ...oneCard,
  id: 'boards.changeSharedCard',
  method: 'PATCH',
  path: '/api/v1/board/shared/{board_id}/tasks/{task_id}',
  summary: 'Change a card of a shared board',
  description: 'For guests who are editors. Only the fields in the body change.',
  example: { body: { priority: 'medium' } },
  body: GuestCardChange,
  versioned: true,
  responses: { 200: SharedCard },
  refusals: [
    refused.cardNotFound,
    editorRequired,
    refused.boardArchived,
    refused.cardArchived,
    ...columnRefusals,
  ],
})

export const listSharedComments = route({
  ...oneCard,
  id: 'boards.listSharedComments',
  is_long: true,
  method: 'GET',
  path: '/api/v1/board/shared/{board_id}/tasks/{task_id}/comments',
  summary: 'List the comments on a card of a shared board, oldest first',
  description: 'For guests. Replies carry the id of their comment in `parent_id`.',
  example: { query: { per_page: '50' } },
  query: z.object({
    ...paged(),
  }),
  responses: {
    200: z.object({ items: z.array(SharedComment), total: z.int(), page: z.int(), per_page: z.int() }),
  },
  refusals: [refused.cardNotFound],
})

export const addSharedComment = route({
  ...oneCard,
  id: 'boards.addSharedComment',
  method: 'POST',
  path: '/api/v1/board/shared/{board_id}/tasks/{task_id}/comments',
  summary: 'Comment on a card of a shared board',
  description: 'For guests who are commenters or editors. `body` is Markdown.',
  example: { body: { body: 'It slips here too.' } },
  body: z.object({ body: text(1, 65_536), parent_id: Uuid.optional() }),
  resources: {
    board_id: 'shared_board',
    task_id: 'shared_card',
    'body.parent_id': 'shared_comment',
  },
  responses: { 201: SharedComment },
  refusals: [refused.cardNotFound, commenterRequired, refused.boardArchived, noSuchParent],
})
