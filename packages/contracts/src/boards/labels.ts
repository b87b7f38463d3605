import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { paged, Timestamp, Uuid, words } from '../wire.ts'
import { boardFamily, inBoard } from './boards.ts'
import * as refused from './refusals.ts'

export const mostLabels = 1000

export const labelNotFound = refusal(404, 'Label not found')
export const labelNameTaken = refusal(409, 'Another label of this board has this name; merge the two instead')
export const labelBusy = refusal(409, 'Cards that had a label of this name are still being changed')
export const labelLimit = refusal(409, `At most ${mostLabels} labels of a board can be created`)
export const noSuchTarget = refusal(400, 'into: no such other label of this board')

/** No commas: they separate labels in filters. */
const LabelName = words(50).refine((name) => !name.includes(','), 'must be a name without a comma')
const Color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must be a color such as #3b82f6')
  .overwrite((text) => text.toLowerCase())

export const Label = z
  .object({
    id: Uuid,
    board_id: Uuid,
    name: z.string().max(50),
    /** Such as `#3b82f6`. */
    color: z.string().max(7).nullable(),
    /** Cards with this label that are not archived. */
    card_count: z.int(),
    /** How many of them still show the old name: more than 200 are changed in batches, with other writes in between. */
    cards_changing: z.int(),
    created_at: Timestamp,
  })
  .meta({ id: 'BoardLabel' })
export type Label = z.infer<typeof Label>

const one = {
  ...boardFamily,
  params: z.object({ label_id: Uuid }),
  resources: { label_id: 'label' },
  missing: labelNotFound,
} as const

export const listLabels = route({
  ...inBoard,
  id: 'boards.listLabels',
  method: 'GET',
  path: '/api/v1/board/boards/{board_id}/labels',
  summary: 'List the labels of a board, by name',
  description: 'All that its cards have, and those that were created. Cards name labels by their names.',
  example: { query: { per_page: '50' } },
  query: z.object({ ...paged() }),
  responses: {
    200: z.object({ items: z.array(Label), total: z.int(), page: z.int(), per_page: z.int() }),
  },
  refusals: [refused.boardNotFound],
})

export const createLabel = route({
  ...inBoard,
  id: 'boards.createLabel',
  method: 'POST',
  path: '/api/v1/board/boards/{board_id}/labels',
  summary: 'Create a label',
  description:
    'It stays when no card has it. A name that cards of the board already have becomes a label with a color.',
  example: { body: { name: 'mechanics', color: '#3b82f6' } },
  body: z.object({ name: LabelName, color: Color.nullable().optional() }),
  responses: { 201: Label },
  refusals: [refused.boardNotFound, refused.boardArchived, labelNameTaken, labelBusy, labelLimit],
})

export const changeLabel = route({
  ...one,
  id: 'boards.changeLabel',
  method: 'PATCH',
  path: '/api/v1/board/labels/{label_id}',
  summary: 'Rename a label or change its color',
  description:
    'Only the fields in the body change. Up to 200 cards get the new name at once, more in batches: `cards_changing` says how many are left.',
  example: { body: { color: '#ef4444' } },
  body: z.object({ name: LabelName.optional(), color: Color.nullable().optional() }),
  responses: { 200: Label },
  refusals: [labelNotFound, refused.boardArchived, labelNameTaken, labelBusy],
})

export const mergeLabel = route({
  ...one,
  id: 'boards.mergeLabel',
  method: 'POST',
  path: '/api/v1/board/labels/{label_id}:merge',
  summary: 'Merge a label into another one of the board',
  description:
    'Its cards get the other label, as by a rename, and the label is gone. Returns the other label.',
  example: { body: { into: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f' } },
  body: z.object({ into: Uuid }),
  resources: { label_id: 'label', 'body.into': 'label_beside' },
  responses: { 200: Label },
  refusals: [labelNotFound, refused.boardArchived, noSuchTarget],
})

export const removeLabel = route({
  ...one,
  id: 'boards.removeLabel',
  method: 'DELETE',
  path: '/api/v1/board/labels/{label_id}',
  summary: 'Remove a label from its board and from all cards',
  description: 'Up to 200 cards lose it at once, more in batches.',
  responses: {
    200: z.object({
      removed: z.literal(true),
      /** Cards that still show it. */
      cards_changing: z.int(),
    }),
  },
  refusals: [labelNotFound, refused.boardArchived],
})
