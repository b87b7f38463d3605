import { z } from 'zod'
import { inProject } from '../code-index/projects.ts'
import { projectNotFound, unknownCursor } from '../code-index/refusals.ts'
import { scopeMissing } from '../identity/refusals.ts'
import { route, token } from '../route.ts'
import { pageLimit, queryBoolean, Timestamp, text } from '../wire.ts'
import { Lesson } from './lesson.ts'
import { lessonNotFound } from './refusals.ts'

/** Only live ones are counted and returned elsewhere. */
export const lessonStatuses = ['live', 'retired', 'superseded', 'removed'] as const
export type LessonStatus = (typeof lessonStatuses)[number]

const inLessons = { ...inProject, auth: token('memory:read'), database: 'memory' } as const

/** A lesson without its body, as in lists. */
export const LessonEntry = z
  .object({
    ...Lesson.omit({ body: true, anchors: true }).shape,
    area: z.string().meta({ maxLength: 300 }),
    status: z.enum(lessonStatuses),
  })
  .meta({ id: 'LessonEntry' })
export type LessonEntry = z.infer<typeof LessonEntry>

export const listLessons = route({
  ...inLessons,
  id: 'lessons.listLessons',
  method: 'GET',
  path: '/api/v1/projects/{project_id}/lessons',
  summary: 'List the lessons of a project by area',
  description:
    'Live lessons, without their bodies; `status` returns those that were retired, superseded or removed. Pass `next_cursor` as `cursor` to read on; it is null on the last page.',
  example: { query: { limit: '50' } },
  query: z.object({
    area: text(1, 300).optional().describe('Only this area'),
    type: text(1, 40).optional(),
    status: z.enum(lessonStatuses).default('live'),
    stale: queryBoolean.optional(),
    limit: pageLimit(),
    cursor: z.string().max(2000).optional(),
  }),
  responses: { 200: z.object({ lessons: z.array(LessonEntry), next_cursor: z.string().nullable() }) },
  refusals: [scopeMissing, projectNotFound, unknownCursor],
})

/** As many happenings of one lesson are returned. */
export const mostHappenings = 20
export const mostMoves = 20

export const LessonHappening = z
  .object({
    action: z
      .enum(['created', 'changed', 'removed', 'moved', 'stale', 'revived'])
      .describe('What happened to its file, or to the code that it is anchored on'),
    commit: z.string().meta({ maxLength: 100 }).nullable(),
    at: Timestamp,
    moves: z
      .array(
        z.object({
          from: z.string().meta({ maxLength: 1537 }),
          to: z.string().meta({ maxLength: 1537 }),
        }),
      )
      .max(mostMoves)
      .describe('Anchors that followed their code, the first 20 of them'),
  })
  .meta({ id: 'LessonHappening' })
export type LessonHappening = z.infer<typeof LessonHappening>

export const getLesson = route({
  ...inLessons,
  id: 'lessons.getLesson',
  method: 'GET',
  path: '/api/v1/projects/{project_id}/lessons:get',
  summary: 'Get a lesson with its history',
  description:
    'The id is a parameter, since it contains slashes. A lesson that was retired, superseded or removed is returned as well, with its `status`. The history has the latest happenings, newest first.',
  example: { query: { id: 'engine/start-order' } },
  query: z.object({ id: text(1, 300) }),
  responses: {
    200: z.object({
      ...Lesson.shape,
      area: z.string().meta({ maxLength: 300 }),
      status: z.enum(lessonStatuses),
      history: z.array(LessonHappening).max(mostHappenings),
    }),
  },
  refusals: [scopeMissing, projectNotFound, lessonNotFound],
})

export const mostAreas = 100
export const mostStaleOfArea = 5

export const StaleAreas = z
  .object({
    total: z.int(),
    areas: z
      .array(
        z.object({
          area: z.string().meta({ maxLength: 300 }),
          total: z.int(),
          lessons: z
            .array(Lesson.pick({ id: true, path: true, type: true, stale_reason: true }))
            .max(mostStaleOfArea),
        }),
      )
      .max(mostAreas),
  })
  .meta({ id: 'StaleAreas' })
export type StaleAreas = z.infer<typeof StaleAreas>

export const listStale = route({
  ...inLessons,
  id: 'lessons.listStale',
  method: 'GET',
  path: '/api/v1/projects/{project_id}/lessons:stale',
  summary: 'List stale lessons by area',
  description:
    'Lessons whose code was removed, by area: how many there are, and the first five, of up to 100 areas. Correct their anchors, or retire them.',
  responses: { 200: StaleAreas },
  refusals: [scopeMissing, projectNotFound],
})
