import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { isOnCalendar, queryInteger, Uuid } from '../wire.ts'
import { BoardType, boardFamily } from './boards.ts'
import { cardStatuses, SummaryCard } from './card-fields.ts'
import * as refused from './refusals.ts'

/** Upper bound of one response; use filters and pages to stay below. */
export const maxMasterItems = 10_000
export const tooManyCards = refusal(
  400,
  `More than ${maxMasterItems} cards match; narrow the filters, or page with per_page`,
)

/** Up to `max` values separated by commas; blank ones are ignored. */
export const separated = (max: number) =>
  z
    .string()
    .max(40 * max)
    .transform((text) => text.split(',').filter((part) => part.trim() !== ''))
    .refine((parts) => parts.length <= max, `must name at most ${max}`)

const BoardIds = separated(200)
  .transform((ids) => [...new Set(ids.map((id) => id.trim().toLowerCase()))])
  .pipe(z.array(Uuid))
  .meta({ override: { type: 'string' } })
const ColumnNames = separated(100).meta({ override: { type: 'string' } })

/** BRD-G11: in any case. */
const HasPr = z
  .string()
  .regex(/^(true|false)$/i, 'must be true or false')
  .transform((text) => text.toLowerCase() === 'true')
  .meta({ override: { type: 'boolean' } })

const isoForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/
const Since = z
  .string()
  .refine((text) => isoForm.test(text) && isOnCalendar(text), 'must be an ISO 8601 time with its zone')

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
    'Searches all boards of the workspace, or those in `board_ids`. Filters are combined with AND; a filter with several values takes them separated by commas. `since` returns cards changed after that time.',
  example: { query: { status: 'in_progress', detail: 'summary' } },
  query: z.object({
    board_ids: BoardIds.optional(),
    board_type: BoardType.optional(),
    column_names: ColumnNames.optional(),
    status: z.enum(cardStatuses).optional(),
    has_pr: HasPr.optional(),
    since: Since.optional(),
    detail: z.literal('summary').optional(),
    page: queryInteger(1, 1000).optional(),
    per_page: queryInteger(1, 100).optional(),
  }),
  resources: { 'query.board_ids': 'board' },
  responses: { 200: z.object({ items: z.array(MasterItem), total: z.int() }) },
  refusals: [refused.boardsOfOther, tooManyCards],
})
