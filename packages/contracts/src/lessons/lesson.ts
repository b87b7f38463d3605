import { z } from 'zod'
import { Timestamp } from '../wire.ts'

export const longestLessonBody = 20_000
export const mostAnchors = 100

/** LES-04. */
export const staleReason = (commit: string | null): string | null =>
  commit === null ? null : `code removed in ${commit}`
/** LES-02: where the file of a lesson is. */
export const lessonPath = (id: string): string => `lessons/${id}.md`

const part = '[\\p{L}\\p{N}_][\\p{L}\\p{N}._-]*'
const lessonFile = new RegExp(`^lessons/((?:${part}/){1,8}${part})\\.md$`, 'u')
const longestId = 300
/** The id of the lesson in a file; undefined for all other files. */
export function lessonIdOf(path: string): string | undefined {
  const id = lessonFile.exec(path)?.[1]
  return id !== undefined && new TextEncoder().encode(id).length <= longestId ? id : undefined
}

/** The lengths say how long a response can become; stored texts are within them already. */
const LessonId = z
  .string()
  .meta({ maxLength: 300, examples: ['billing/round-half-even'] })
  .describe('`<area>/<slug>`; unique in its project')

/** LES-03, LES-67: what every read of a lesson returns. */
export const lessonFields = {
  id: LessonId,
  path: z.string().meta({ maxLength: 311, examples: ['lessons/billing/round-half-even.md'] }),
  type: z
    .string()
    .meta({ maxLength: 40, examples: ['rule'] })
    .describe('For example `rule`, `gotcha` or `decision`'),
  body: z.string().meta({ maxLength: longestLessonBody }),
  pinned: z.boolean(),
  stale: z.boolean().describe('Whether the code that it is about was removed'),
  stale_reason: z.string().meta({ maxLength: 100 }).nullable().describe('`code removed in <commit>`'),
} as const

/** A lesson with everything that its file says (LES-G1). */
export const Lesson = z
  .object({
    ...lessonFields,
    title: z.string().meta({ maxLength: 200 }),
    anchors: z
      .array(z.string().meta({ maxLength: 1537 }))
      .max(mostAnchors)
      .describe('`<path>`, `<path>#<Symbol.name>` or `<folder>/`, where the code is now'),
    author: z.string().meta({ maxLength: 200 }).nullable(),
    card_ref: z.string().meta({ maxLength: 200 }).nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Lesson' })
export type Lesson = z.infer<typeof Lesson>
