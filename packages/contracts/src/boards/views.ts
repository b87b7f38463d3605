import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { paged, Timestamp, Uuid, words } from '../wire.ts'
import { boardFamily } from './boards.ts'
import { findRefusals } from './filters.ts'
import * as refused from './refusals.ts'
import { FoundCards, SearchFilters } from './search.ts'

export const mostOwnViews = 100
export const mostSharedViews = 300

export const viewNotFound = refusal(404, 'View not found')
export const notTheOwner = refusal(403, 'Only its owner or an admin may change a shared view')
export const viewLimit = refusal(
  409,
  `A member has at most ${mostOwnViews} views, a workspace ${mostSharedViews} shared ones`,
)
export const boardOfViewMissing = refusal(400, 'filters.board_ids: no such board of the workspace')

const mostBytes = 8192
/** Parameters of `tasks:search` but for pages, each as the text that it is in an address. */
const Filters = z.record(z.string().max(30), z.string().max(mostBytes)).superRefine((filters, checked) => {
  if (new TextEncoder().encode(JSON.stringify(filters)).length > mostBytes)
    checked.addIssue({ code: 'custom', message: `must have at most ${mostBytes} bytes as JSON` })
  for (const { message, path } of SearchFilters.safeParse(filters).error?.issues ?? [])
    checked.addIssue({ code: 'custom', message, path })
})

export const View = z
  .object({
    id: Uuid,
    name: z.string(),
    /** Whose it is; null once that person was erased. */
    user_id: z.int().nullable(),
    /** Whether all members see it. */
    shared: z.boolean(),
    filters: z.record(z.string(), z.string()),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'BoardView' })
export type View = z.infer<typeof View>

const one = {
  ...boardFamily,
  path: '/api/v1/board/views/{view_id}',
  params: z.object({ view_id: Uuid }),
  resources: { view_id: 'view' },
  missing: viewNotFound,
} as const
const Name = words(100)

export const listViews = route({
  ...boardFamily,
  id: 'boards.listViews',
  method: 'GET',
  path: '/api/v1/board/views',
  summary: 'List your saved views and those shared with you, by name',
  description: 'A view is a search with a name. Views that other members keep for themselves are not listed.',
  example: { query: { per_page: '50' } },
  query: z.object({ ...paged() }),
  responses: {
    200: z.object({ items: z.array(View), total: z.int(), page: z.int(), per_page: z.int() }),
  },
})

export const createView = route({
  ...boardFamily,
  id: 'boards.createView',
  method: 'POST',
  path: '/api/v1/board/views',
  summary: 'Save a view',
  description:
    '`filters` are parameters of `GET tasks:search` without pages, each as the text that it is there; what is refused there is refused here. `me` stays whoever opens the view. With `shared`, all members see it.',
  example: { body: { name: 'My bugs', filters: { label: 'bug', assignee: 'me', sort: '-priority' } } },
  body: z.object({ name: Name, filters: Filters, shared: z.boolean().optional() }),
  responses: { 201: View },
  refusals: [boardOfViewMissing, viewLimit],
})

export const getView = route({
  ...one,
  id: 'boards.getView',
  method: 'GET',
  summary: 'Get a view',
  description: 'Your own or a shared one.',
  responses: { 200: View },
  refusals: [viewNotFound],
})

export const changeView = route({
  ...one,
  id: 'boards.changeView',
  method: 'PATCH',
  summary: 'Change a view',
  description:
    'Only the fields in the body change; `filters` as a whole. Shared views are changed by their owner or an admin.',
  example: { body: { name: 'Our bugs', shared: true } },
  body: z.object({ name: Name.optional(), filters: Filters.optional(), shared: z.boolean().optional() }),
  responses: { 200: View },
  refusals: [viewNotFound, notTheOwner, boardOfViewMissing, viewLimit],
})

export const removeView = route({
  ...one,
  id: 'boards.removeView',
  method: 'DELETE',
  summary: 'Remove a view',
  description: 'Shared views are removed by their owner or an admin.',
  responses: { 200: z.object({ removed: z.literal(true) }) },
  refusals: [viewNotFound, notTheOwner],
})

export const listViewCards = route({
  ...one,
  id: 'boards.listViewCards',
  method: 'GET',
  path: '/api/v1/board/views/{view_id}/tasks',
  summary: 'List the cards of a view',
  description: 'The response of `GET tasks:search` with the filters of the view, for whoever asks.',
  example: { query: { per_page: '50' } },
  query: z.strictObject({ ...paged({ pages: 10_000 }) }),
  responses: { 200: FoundCards },
  refusals: [viewNotFound, refused.boardsOfOther, ...findRefusals],
})
