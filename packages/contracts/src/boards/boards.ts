import { z } from 'zod'
import { route, token } from '../route.ts'
import { paged, Timestamp, text, Uuid, words } from '../wire.ts'
import { cardStatuses } from './card-fields.ts'
import * as refused from './refusals.ts'

export const Column = z
  .object({
    id: Uuid,
    name: z.string(),
    /** The status of its cards, whatever the name of the column. */
    status: z.enum(cardStatuses),
    /** Sorts within the board; compare as bytes. */
    rank: z.string(),
    /** Intended maximum of cards; the board decides whether more are refused. */
    wip_limit: z.int().nullable(),
    card_count: z.int(),
    /**
     * Cards that still have to get the new status, or to leave a column that is being removed. More than 500 are updated
     * in batches, with other writes in between.
     */
    cards_changing: z.int(),
  })
  .meta({ id: 'BoardColumn' })
export type Column = z.infer<typeof Column>

export const wipModes = ['shown', 'enforced'] as const

const boardFields = {
  id: Uuid,
  key: z.string(),
  name: z.string(),
  board_type: z.string(),
  description: z.string(),
  project_id: Uuid.nullable(),
  card_count: z.int(),
  /**
   * What happens when a card would exceed a `wip_limit`: `enforced` refuses it with 409, `shown` accepts it and adds the
   * header `X-Over-Limit: true`.
   */
  wip_limits: z.enum(wipModes),
  created_at: Timestamp,
  updated_at: Timestamp,
  archived_at: Timestamp.nullable(),
}
export const BoardSummary = z.object(boardFields).meta({ id: 'BoardSummary' })
export type BoardSummary = z.infer<typeof BoardSummary>
export const Board = z.object({ ...boardFields, columns: z.array(Column) }).meta({ id: 'Board' })
export type Board = z.infer<typeof Board>

export const BoardKey = z.string().regex(/^[A-Z]{2,10}$/, 'must be 2 to 10 uppercase letters')
export const BoardType = z.string().regex(/^[a-z][a-z0-9_-]{0,29}$/, 'must be a lowercase word')
/** No commas: they separate names in filters. */
export const ColumnName = words(100).refine((name) => !name.includes(','), 'must be a name without a comma')
export const WipLimit = z.int().min(1).max(100_000)

export const boardFamily = { auth: token(), invalid: 400, dry_run: true } as const
export const inBoard = {
  ...boardFamily,
  params: z.object({ board_id: Uuid }),
  resources: { board_id: 'board' },
  missing: refused.boardNotFound,
} as const

export const listBoards = route({
  ...boardFamily,
  id: 'boards.listBoards',
  method: 'GET',
  path: '/api/v1/board/boards',
  summary: 'List the boards of the workspace, by name',
  description: 'Archived boards are omitted; `archived=true` returns only those.',
  example: { query: { per_page: '50' } },
  query: z.object({
    board_type: BoardType.optional(),
    archived: z.enum(['true', 'false']).optional(),
    ...paged(),
  }),
  responses: {
    200: z.object({ items: z.array(BoardSummary), total: z.int(), page: z.int(), per_page: z.int() }),
  },
})

export const createBoard = route({
  ...boardFamily,
  id: 'boards.createBoard',
  method: 'POST',
  path: '/api/v1/board/boards',
  summary: 'Create a board',
  description:
    '`key` is the prefix of card references such as `CORE-12`. `project_id` names the project whose code the cards are about. The default `columns` are To do, In progress, Review and Done.',
  example: {
    body: {
      name: 'Core',
      key: 'CORE',
      description: 'The engine and its API',
      columns: [
        { name: 'To do', status: 'pending' },
        { name: 'Doing', status: 'in_progress', wip_limit: 3 },
        { name: 'Done', status: 'done' },
      ],
    },
  },
  body: z.object({
    name: words(200),
    key: BoardKey,
    board_type: BoardType.optional(),
    description: text(0, 4000).optional(),
    project_id: Uuid.nullable().optional(),
    wip_limits: z.enum(wipModes).optional(),
    columns: z
      .array(
        z.object({
          name: ColumnName,
          status: z.enum(cardStatuses),
          wip_limit: WipLimit.nullable().optional(),
        }),
      )
      .min(1)
      .max(50)
      .optional(),
  }),
  resources: { 'body.project_id': 'project' },
  responses: { 201: Board },
  refusals: [refused.boardKeyTaken, refused.columnNameTaken, refused.boardLimit, refused.noSuchProject],
})

export const getBoard = route({
  ...inBoard,
  id: 'boards.getBoard',
  method: 'GET',
  path: '/api/v1/board/boards/{board_id}',
  summary: 'Get a board with its columns',
  description: 'Columns are in display order, each with its number of cards.',
  responses: { 200: Board },
  refusals: [refused.boardNotFound],
})

export const changeBoard = route({
  ...inBoard,
  id: 'boards.changeBoard',
  method: 'PATCH',
  path: '/api/v1/board/boards/{board_id}',
  summary: 'Change a board',
  description: 'Only the fields in the body change.',
  example: { body: { description: 'The engine, its API and its tests' } },
  body: z.object({
    name: words(200).optional(),
    board_type: BoardType.optional(),
    description: text(0, 4000).optional(),
    project_id: Uuid.nullable().optional(),
    wip_limits: z.enum(wipModes).optional(),
  }),
  resources: { board_id: 'board', 'body.project_id': 'project' },
  responses: { 200: Board },
  refusals: [refused.boardNotFound, refused.boardArchived, refused.noSuchProject],
})

export const archiveBoard = route({
  ...inBoard,
  id: 'boards.archiveBoard',
  method: 'POST',
  path: '/api/v1/board/boards/{board_id}/archive',
  summary: 'Archive a board',
  description: 'Cards, comments and history stay readable. Writes get 409 until the board is restored.',
  responses: { 200: Board },
  refusals: [refused.boardNotFound],
})

export const restoreBoard = route({
  ...inBoard,
  id: 'boards.restoreBoard',
  method: 'POST',
  path: '/api/v1/board/boards/{board_id}/restore',
  summary: 'Restore an archived board',
  description: 'Everything on it is as it was. Repeating the call changes nothing.',
  responses: { 200: Board },
  refusals: [refused.boardNotFound, refused.boardLimit],
})
