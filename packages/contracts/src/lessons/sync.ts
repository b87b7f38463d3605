import { z } from 'zod'
import { inProject } from '../code-index/projects.ts'
import { projectNotFound } from '../code-index/refusals.ts'
import { scopeMissing } from '../identity/refusals.ts'
import { route, token } from '../route.ts'
import { Timestamp } from '../wire.ts'
import { lessonFields } from './lesson.ts'

/** LES-81. */
export const mostChecked = 200
export const mostCompared = 25
/** LES-78, LES-79. */
export const mostDuplicates = 3
export const leastLikeness = 0.9
const mostFiles = 500

const File = z.object({
  path: z.string().min(1).max(400).describe('`lessons/<area>/<slug>.md`'),
  text: z.string().describe('The whole file: front matter between lines of `---`, then Markdown'),
})

const Duplicate = z
  .object({ id: lessonFields.id, path: lessonFields.path, similarity: z.number() })
  .meta({ id: 'LessonDuplicate' })

const SyncedFile = z
  .object({
    path: z.string().meta({ maxLength: 400 }),
    id: lessonFields.id.nullable().describe('Null for a refused file'),
    outcome: z.enum(['created', 'changed', 'unchanged', 'refused']),
    reason: z.string().meta({ maxLength: 300 }).nullable().describe('Why the file was refused'),
    possible_duplicate_of: z
      .array(Duplicate)
      .max(mostDuplicates)
      .optional()
      .describe(
        'Possible duplicates or contradictions: existing lessons of the workspace at a similarity of 0.90 and above, most similar first. A rule and its opposite are as similar as two copies. Absent if the lesson was not compared.',
      ),
  })
  .meta({ id: 'SyncedLessonFile' })
export type SyncedFile = z.infer<typeof SyncedFile>

export const LessonSync = z
  .object({
    files: z.array(SyncedFile).max(mostFiles).describe('In the order sent'),
    created: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    refused: z.int(),
    duplicate_check: z
      .enum(['complete', 'truncated', 'unavailable'])
      .describe(
        '`truncated`: more than 25 lessons were written, so only the first 25 were compared, and none if they were more than 200. `unavailable`: there are no embeddings now; everything was written.',
      ),
  })
  .meta({ id: 'LessonSync' })
export type LessonSync = z.infer<typeof LessonSync>

export const syncLessons = route({
  ...inProject,
  auth: token('memory:write'),
  database: 'memory',
  id: 'lessons.syncLessons',
  method: 'POST',
  path: '/api/v1/projects/{project_id}/lessons:sync',
  summary: 'Write lessons from files',
  description:
    'Lessons are read from `lessons/<area>/<slug>.md` of the repository whenever it is indexed; this call writes files at once, for example before they are pushed. Front matter: `type` (required), `anchors`, `title`, `pinned`, `author`, `card`, `supersedes` (ids of lessons), `retired`. A file that is refused changes nothing and does not stop the others. A lesson that the repository has too is written again by the next index. Nothing is removed: set `retired: true` instead.',
  example: {
    body: {
      files: [
        {
          path: 'lessons/billing/round-half-even.md',
          text: '---\ntype: rule\nanchors:\n  - src/engine.ts#Engine\n---\n# Round half to even\n\nTotals are rounded half to even, once, at the end.\n',
        },
      ],
    },
  },
  body: z.object({ files: z.array(File).min(1).max(mostFiles) }),
  responses: { 200: LessonSync },
  refusals: [scopeMissing, projectNotFound],
})

/** As many refused files of an index are kept. */
export const mostRefused = 100

export const LessonSyncState = z
  .object({
    commit: z
      .string()
      .meta({ maxLength: 100 })
      .nullable()
      .describe('The last indexed commit whose files were read; null before the first one'),
    synced_at: Timestamp.nullable(),
    files: z.int().describe('Files of lessons in that commit, refused ones included'),
    refused_total: z.int(),
    refused: z
      .array(
        z.object({
          path: z.string().meta({ maxLength: 400 }),
          reason: z.string().meta({ maxLength: 300 }),
        }),
      )
      .max(mostRefused)
      .describe('The first 100 of them'),
  })
  .meta({ id: 'LessonSyncState' })
export type LessonSyncState = z.infer<typeof LessonSyncState>

export const getSyncState = route({
  ...inProject,
  auth: token('memory:read'),
  database: 'memory',
  id: 'lessons.getSyncState',
  method: 'GET',
  path: '/api/v1/projects/{project_id}/lessons:sync',
  summary: 'Get which files of the repository were refused',
  description:
    'What the last index read from `lessons/` of the repository. A file that was refused has left its lesson as it was; correct it and push.',
  responses: { 200: LessonSyncState },
  refusals: [scopeMissing, projectNotFound],
})
