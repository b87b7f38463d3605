import { z } from 'zod'
import { route } from '../route.ts'
import { Uuid } from '../wire.ts'
import { boardFamily, Column, ColumnName, inBoard, WipLimit } from './boards.ts'
import { cardStatuses } from './card-fields.ts'
import * as refused from './refusals.ts'

const oneColumn = {
  ...boardFamily,
  params: z.object({ column_id: Uuid }),
  resources: { column_id: 'column' },
  missing: refused.columnNotFound,
} as const

export const addColumn = route({
  ...inBoard,
  id: 'boards.addColumn',
  method: 'POST',
  path: '/api/v1/board/boards/{board_id}/columns',
  summary: 'Adds a column, at the end or before another',
  description:
    '`status` says what a card in this column is, whatever the column is called; several columns may have the same status. With `before_id` the column is placed before that one.',
  example: { body: { name: 'In test', status: 'review' } },
  body: z.object({
    name: ColumnName,
    status: z.enum(cardStatuses),
    wip_limit: WipLimit.nullable().optional(),
    before_id: Uuid.optional(),
  }),
  resources: { board_id: 'board', 'body.before_id': 'column_beside' },
  responses: { 201: Column },
  refusals: [
    refused.boardNotFound,
    refused.boardArchived,
    refused.columnNotFound,
    refused.columnNameTaken,
    refused.columnLimit,
  ],
})

export const changeColumn = route({
  ...oneColumn,
  id: 'boards.changeColumn',
  method: 'PATCH',
  path: '/api/v1/board/columns/{column_id}',
  summary: 'Renames, limits or moves a column; a new status is taken over by the cards in it',
  description: 'Only the fields in the body change. A new `status` applies to all cards in the column.',
  example: { body: { wip_limit: 5 } },
  body: z.object({
    name: ColumnName.optional(),
    status: z.enum(cardStatuses).optional(),
    wip_limit: WipLimit.nullable().optional(),
    before_id: Uuid.nullable().optional(),
  }),
  resources: { column_id: 'column', 'body.before_id': 'column_beside' },
  responses: { 200: Column },
  refusals: [refused.columnNotFound, refused.boardArchived, refused.columnNameTaken, refused.columnBusy],
})

export const removeColumn = route({
  ...oneColumn,
  id: 'boards.removeColumn',
  method: 'DELETE',
  path: '/api/v1/board/columns/{column_id}',
  summary: 'Removes a column; its cards go to the one named by move_to',
  description:
    'A column with cards needs `move_to`, the id of another column of the board. The last column cannot be removed.',
  query: z.object({ move_to: Uuid.optional() }),
  responses: {
    200: z.object({
      /** Not yet when it holds more than 500 cards: they leave it a bite at a time, and it is removed when it is empty. */
      removed: z.boolean(),
      cards_moved: z.int(),
      /** How many are on their way. */
      cards_moving: z.int().optional(),
    }),
  },
  refusals: [
    refused.columnNotFound,
    refused.boardArchived,
    refused.columnNotEmpty,
    refused.columnBusy,
    refused.lastColumn,
  ],
})
