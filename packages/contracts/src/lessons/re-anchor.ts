import { z } from 'zod'
import { inProject } from '../code-index/projects.ts'
import { projectNotFound } from '../code-index/refusals.ts'
import { scopeMissing } from '../identity/refusals.ts'
import { route, token } from '../route.ts'
import { Anchor } from './anchors.ts'
import { lessonFields, lessonIdOf, lessonPath, mostAnchors } from './lesson.ts'
import * as refused from './refusals.ts'

export const mostSuggestions = 3

const AnchorNow = z
  .object({
    anchor: z.string().meta({ maxLength: 1537 }).describe('As the file says it'),
    now: z.string().meta({ maxLength: 1537 }).describe('Where its code is now, or was last'),
    state: z.enum(['live', 'removed', 'not_found']),
    removed_in: z.string().meta({ maxLength: 64 }).nullable().describe('The commit that removed its code'),
    suggestions: z
      .array(z.object({ anchor: z.string().meta({ maxLength: 1537 }), similarity: z.number() }))
      .max(mostSuggestions)
      .describe(
        'Of a function or class that was removed: new ones with a similar body, at 0.6 and above, most similar first',
      ),
  })
  .meta({ id: 'LessonAnchor' })

export const CorrectedFile = z
  .object({
    id: lessonFields.id,
    path: lessonFields.path,
    text: z
      .string()
      .meta({ maxLength: 230_000 })
      .describe('The file with its new anchors; all else is as it was'),
    is_changed: z.boolean(),
    anchors: z.array(AnchorNow).max(mostAnchors),
  })
  .meta({ id: 'CorrectedLessonFile' })
export type CorrectedFile = z.infer<typeof CorrectedFile>

export const reAnchorLesson = route({
  ...inProject,
  auth: token('memory:read'),
  database: 'memory',
  id: 'lessons.reAnchorLesson',
  method: 'POST',
  is_read: true,
  path: '/api/v1/projects/{project_id}/lessons:re-anchor',
  summary: 'Get the file of a lesson with corrected anchors',
  description:
    'Returns the text of the file for you to commit; nothing is written, because the state of a lesson follows from its file alone. Without `anchors`, each anchor gets the place where its code is now. With `anchors`, they replace those of the file: `suggestions` names code that may have taken the place of what was removed.',
  example: { body: { id: 'billing/round-half-even', anchors: ['src/engine.ts'] } },
  body: z.object({
    id: z
      .string()
      .refine((id) => lessonIdOf(lessonPath(id)) === id, 'must be <area>/<slug>')
      .describe('Id of the lesson, `<area>/<slug>`'),
    anchors: z.array(Anchor).min(1).max(mostAnchors).optional(),
  }),
  resources: { ...inProject.resources, 'body.id': 'lesson' },
  responses: { 200: CorrectedFile },
  refusals: [scopeMissing, projectNotFound, refused.lessonNotFound],
})
