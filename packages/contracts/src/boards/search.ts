import { z } from 'zod'
import { route } from '../route.ts'
import { paged, Uuid } from '../wire.ts'
import { BoardType, boardFamily } from './boards.ts'
import { cardStatuses, SummaryCard } from './card-fields.ts'
import { CardFacets, cardFilters, findRefusals } from './filters.ts'
import { BoardIds, ColumnNames } from './master.ts'
import * as refused from './refusals.ts'

/** A card in a list, and its board. */
const FoundCard = SummaryCard.extend({ board_id: Uuid, board: z.string() }).meta({ id: 'FoundCard' })
export type FoundCard = z.infer<typeof FoundCard>

/** The parameters of a search but for pages; an unknown one is refused. */
export const SearchFilters = z.strictObject({
  ...cardFilters,
  board_ids: BoardIds.optional(),
  board_type: BoardType.optional(),
  column_names: ColumnNames.optional(),
  status: z.enum(cardStatuses).optional(),
})

export const FoundCards = z.object({
  items: z.array(FoundCard),
  total: z.int(),
  page: z.int(),
  per_page: z.int(),
  facets: CardFacets.optional(),
})

export const searchCards = route({
  ...boardFamily,
  id: 'boards.searchCards',
  method: 'GET',
  path: '/api/v1/board/tasks:search',
  summary: 'Search cards over all boards',
  description:
    '`q` searches title, description and comments, with the beginning of the last word and with typing errors; a ref such as `CORE-12` comes first. Filters are combined with AND; several values of one are separated by commas and any of them counts. `count_by` adds how many of the found cards have each value. With `q`, at most 2,000 cards are looked at. An unknown parameter gets 400 with the known names.',
  example: { query: { q: 'carriage', count_by: 'status,label' } },
  query: z.strictObject({ ...SearchFilters.shape, ...paged({ pages: 10_000 }) }),
  resources: { 'query.board_ids': 'board', 'query.parent': 'card', 'query.cycle': 'cycle' },
  responses: {
    200: FoundCards,
  },
  refusals: [refused.boardsOfOther, ...findRefusals],
})
