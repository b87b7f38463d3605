import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { queryInteger, Uuid } from '../wire.ts'
import { BoardType, boardFamily } from './boards.ts'
import { cardStatuses, SummaryCard } from './card-fields.ts'
import { CardFacets, cardFilters, findRefusals, Since, separated } from './filters.ts'
import * as refused from './refusals.ts'

/** Upper bound of one response; use filters and pages to stay below. */
export const maxMasterItems = 10_000
export const tooManyCards = refusal(
  400,
  `More than ${maxMasterItems} cards match; narrow the filters, or page with per_page`,
)

export const BoardIds = separated(200)
  .transform((ids) => [...new Set(ids.map((id) => id.trim().toLowerCase()))])
  .pipe(z.array(Uuid))
  .meta({ override: { type: 'string' } })
export const ColumnNames = separated(100).meta({ override: { type: 'string' } })

/** The fields fixed by the interface; with `detail=summary`, the card as in lists, and its board. */
const MasterItem = z
  .object({
    ref: z.string(),
    board: z.string(),
    column: SummaryCard.shape.column,
    pr_number: z.int().nullable(),
    branch: z.string().nullable(),
    ...SummaryCard.pick({ id: true, title: true, status: true, assignee: true, pr_state: true }).partial()
      .shape,
  })
  .meta({ id: 'MasterItem' })
export type MasterItem = z.infer<typeof MasterItem>

export const listMasterCards = route({
  ...boardFamily,
  id: 'boards.listMasterCards',
  is_long: true,
  method: 'GET',
  path: '/api/v1/board/master/tasks',
  summary: 'List cards across boards, most recently changed first',
  description:
    'Searches all boards of the workspace, or those in `board_ids`. Filters are combined with AND; a filter with several values takes them separated by commas. `since` returns cards changed after that time. The same filters, `q` and `count_by` as in `tasks:search`.',
  example: { query: { status: 'in_progress', detail: 'summary' } },
  query: z.object({
    ...cardFilters,
    board_ids: BoardIds.optional(),
    board_type: BoardType.optional(),
    column_names: ColumnNames.optional(),
    status: z.enum(cardStatuses).optional(),
    since: Since.optional(),
    detail: z.literal('summary').optional(),
    page: queryInteger(1, 1000).optional(),
    per_page: queryInteger(1, 100).optional(),
  }),
  resources: { 'query.board_ids': 'board', 'query.parent': 'card', 'query.cycle': 'cycle' },
  responses: {
    200: z.object({ items: z.array(MasterItem), total: z.int(), facets: CardFacets.optional() }),
  },
  refusals: [refused.boardsOfOther, tooManyCards, ...findRefusals],
})
