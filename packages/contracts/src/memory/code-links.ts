import { z } from 'zod'
import { scopeMissing } from '../identity/refusals.ts'
import { lessonPath } from '../lessons/lesson.ts'
import { route, token } from '../route.ts'
import { Timestamp, Uuid } from '../wire.ts'
import * as fields from './fields.ts'
import * as refused from './refusals.ts'

export const mostLinks = 50

export const CodeLink = z
  .object({
    mention: z.string().meta({ maxLength: 1600 }).describe('As the memory says it'),
    project_id: Uuid,
    node_id: Uuid,
    kind: z.enum(['folder', 'file', 'symbol']),
    place: z
      .string()
      .meta({ maxLength: 1537 })
      .describe('`<path>`, `<path>#<Symbol.name>` or `<folder>/`: where the code is now, or was last'),
    removed_in: z.string().meta({ maxLength: 64 }).nullable().describe('The commit that removed the code'),
    linked_at: Timestamp,
  })
  .meta({ id: 'MemoryCodeLink' })
export type CodeLink = z.infer<typeof CodeLink>

const withCode = { auth: token('memory:read', 'code:read'), database: 'memory' } as const

export const listCode = route({
  ...withCode,
  ...fields.oneMemory,
  id: 'memory.listCode',
  method: 'GET',
  path: '/api/v1/memory/memories/{memory_id}/code',
  summary: 'List the code that a memory names',
  description:
    'A path, a folder or a symbol that title or body name (`src/a.ts`, `src/a.ts#Store`, `Store.get()`) is linked in the background if it is exactly one in the indexed code of the workspace. A link follows its code when that moves; when the code is removed, the link stays with `removed_in`, until the code comes back.',
  responses: {
    200: z.object({
      links: z.array(CodeLink).max(mostLinks),
      is_pending: z.boolean().describe('The text is new, and its links are still to be made'),
    }),
  },
  refusals: [scopeMissing, refused.memoryNotFound],
})

const Word = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be words of small letters and digits, joined by dashes')

export const promoteMemory = route({
  ...withCode,
  ...fields.oneMemory,
  id: 'memory.promoteMemory',
  method: 'POST',
  is_read: true,
  path: '/api/v1/memory/memories/{memory_id}/lesson-file',
  summary: 'Make a lesson file of a memory',
  description:
    'Returns the text of a file whose anchors are the code that the memory names. Nothing is stored: commit the file to the repository of `project_id` under `path`, and the next index makes a lesson of it.',
  example: { body: { area: 'billing' } },
  body: z
    .object({
      area: Word(60).default('general'),
      slug: Word(80).optional().describe('From the title by default'),
      type: z
        .string()
        .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be a word in lower case such as rule, gotcha or decision')
        .optional()
        .describe('From the kind of the memory by default'),
      pinned: z.boolean().default(false),
    })
    .default({ area: 'general', pinned: false }),
  responses: {
    200: z
      .object({
        project_id: Uuid,
        path: z.string().meta({ maxLength: 311, examples: [lessonPath('billing/round-half-even')] }),
        text: z.string().meta({ maxLength: 200_000 }),
      })
      .meta({ id: 'LessonFileText' }),
  },
  refusals: [scopeMissing, refused.memoryNotFound, refused.namesNoCode],
})
export type LessonFileText = z.infer<(typeof promoteMemory)['responses'][200]>
export type Promotion = z.infer<(typeof promoteMemory)['body']>
