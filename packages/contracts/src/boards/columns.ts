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
  summary: 'Create a column',
  description:
    '`status` is the status of the cards in this column, whatever its name; several columns may have the same status. The column goes to the end, or before `before_id`.',
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
  summary: 'Change or move a column',
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
  summary: 'Remove a column and move its cards to another',
  description:
    'A column with cards requires `move_to`, the id of another column of the board. The last column cannot be removed.',
  query: z.object({ move_to: Uuid.optional() }),
  responses: {
    200: z.object({
      /** False with more than 500 cards: they are moved in batches, and the column is removed once it is empty. */
      removed: z.boolean(),
      cards_moved: z.int(),
      /** How many are still to be moved. */
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
