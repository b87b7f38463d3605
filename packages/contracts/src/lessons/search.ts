import { z } from 'zod'
import { projectNotFound } from '../code-index/refusals.ts'
import { scopeMissing } from '../identity/refusals.ts'
import { route, token } from '../route.ts'
import { pageLimit, queryBoolean, text, Uuid } from '../wire.ts'
import { Anchor } from './anchors.ts'
import { Lesson } from './lesson.ts'

/** LES-51. */
export const mostFound = 500

/** LES-55, LES-G13. */
export const matchKinds = ['anchor', 'symbol', 'folder'] as const
export type MatchKind = (typeof matchKinds)[number]

export const FoundLesson = z
  .object({
    ...Lesson.shape,
    project_id: Uuid,
    matched_by: z
      .enum(matchKinds)
      .nullable()
      .describe(
        '`anchor`: that very place; `symbol`: a symbol in that file, or the file, the outer or an inner symbol of that symbol; `folder`: a folder around it; null without `anchor`',
      ),
  })
  .meta({ id: 'FoundLesson' })
export type FoundLesson = z.infer<typeof FoundLesson>

export const searchLessons = route({
  auth: token('memory:read'),
  database: 'memory',
  id: 'lessons.searchLessons',
  method: 'GET',
  is_long: true,
  path: '/api/v1/memory/entries/search',
  summary: 'Search lessons by the code that they are anchored on',
  description:
    'Compares anchors as text, so it works without an index, and finds lessons whose code was removed. Pinned lessons come first, then matches by `anchor`, `symbol` and `folder`, the nearest folder first, then the newest. `stale=true` without `anchor` lists every stale lesson; `stale=false` leaves them out. `total` counts all matches, also those beyond `limit`.',
  example: { query: { anchor: 'src/engine.ts' } },
  query: z
    .object({
      anchor: Anchor.optional().describe('`<path>`, `<path>#<Symbol.name>` or `<folder>/`'),
      project_id: Uuid.optional().describe('All projects of the workspace by default'),
      q: text(0, 500).optional().describe('Words that the lesson has to have'),
      type: text(1, 40).optional(),
      scope: text(1, 300).optional().describe('Area, with those in it, such as `billing` or `billing/tax`'),
      limit: pageLimit(mostFound, 20),
      stale: queryBoolean.optional(),
    })
    .refine(({ anchor, stale }) => anchor !== undefined || stale === true, {
      path: ['anchor'],
      message: 'is required unless stale=true',
    }),
  resources: { 'query.project_id': 'project' },
  responses: {
    200: z.object({
      query: z.string().meta({ maxLength: 1537 }).nullable().describe('The anchor that was asked for'),
      total: z.int(),
      items: z.array(FoundLesson).max(mostFound),
      warnings: z.array(z.string().meta({ maxLength: 200 })).max(5),
    }),
  },
  refusals: [scopeMissing, projectNotFound],
})
