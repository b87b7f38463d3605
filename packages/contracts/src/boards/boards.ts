import { z } from 'zod'
import { route, token } from '../route.ts'
import { paged, Timestamp, text, Uuid, words } from '../wire.ts'
import { cardStatuses } from './card-fields.ts'
import * as refused from './refusals.ts'

export const Column = z
  .object({
    id: Uuid,
    name: z.string(),
    /** What a card in it is, whatever the column is called. */
    status: z.enum(cardStatuses),
    /** Sorts within the board; compare as bytes. */
    rank: z.string(),
    /** How many cards are meant to be in it at most; the board says whether more are refused. */
    wip_limit: z.int().nullable(),
    card_count: z.int(),
    /**
     * Cards that still have to take over a new status, or to leave a column that is being removed. More than 500 follow
     * a bite at a time, and others write on the board in between.
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
   * What a `wip_limit` does to cards that are added or moved beyond it: `enforced` refuses them with 409, `shown` lets
   * them pass and answers with the header `X-Over-Limit: true`.
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

export const BoardKey = z.string().regex(/^[A-Z]{2,10}$/, 'must be 2 to 10 capital letters')
export const BoardType = z.string().regex(/^[a-z][a-z0-9_-]{0,29}$/, 'must be a word in small letters')
/** A comma separates names in filters, so none may be in one. */
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
  summary: 'Boards of the workspace, by name',
  description: 'Archived boards are left out unless `archived=true`, which returns only these.',
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
  summary: 'Opens a board, with the columns given or the usual ones',
  description:
    '`key` is the prefix of card references such as `CORE-12`. Without `columns` the board gets four: To do, In progress, Review and Done.',
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
  responses: { 201: Board },
  refusals: [refused.boardKeyTaken, refused.columnNameTaken, refused.boardLimit],
})

export const getBoard = route({
  ...inBoard,
  id: 'boards.getBoard',
  method: 'GET',
  path: '/api/v1/board/boards/{board_id}',
  summary: 'A board with its columns',
  description: 'Columns are in the order in which they are shown, each with the number of cards in it.',
  responses: { 200: Board },
  refusals: [refused.boardNotFound],
})

export const changeBoard = route({
  ...inBoard,
  id: 'boards.changeBoard',
  method: 'PATCH',
  path: '/api/v1/board/boards/{board_id}',
  summary: 'Renames or describes a board',
  description: 'Only the fields in the body change.',
  example: { body: { description: 'The engine, its API and its tests' } },
  body: z.object({
    name: words(200).optional(),
    board_type: BoardType.optional(),
    description: text(0, 4000).optional(),
    wip_limits: z.enum(wipModes).optional(),
  }),
  responses: { 200: Board },
  refusals: [refused.boardNotFound, refused.boardArchived],
})

export const archiveBoard = route({
  ...inBoard,
  id: 'boards.archiveBoard',
  method: 'POST',
  path: '/api/v1/board/boards/{board_id}/archive',
  summary: 'Puts a board away; nothing on it can be changed until it is restored',
  description:
    'Cards, comments and history stay readable. Writes are refused with 409 until the board is restored.',
  responses: { 200: Board },
  refusals: [refused.boardNotFound],
})

export const restoreBoard = route({
  ...inBoard,
  id: 'boards.restoreBoard',
  method: 'POST',
  path: '/api/v1/board/boards/{board_id}/restore',
  summary: 'Brings an archived board back',
  description: 'Everything on it is as it was before it was archived. Repeating the call changes nothing.',
  responses: { 200: Board },
  refusals: [refused.boardNotFound, refused.boardLimit],
})
