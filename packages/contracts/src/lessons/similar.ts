import { z } from 'zod'
import { scopeMissing } from '../identity/refusals.ts'
import { route, token } from '../route.ts'
import { text } from '../wire.ts'
import { LessonBrief } from './brief.ts'

export const mostSimilar = 10

const { id, path, type, pinned } = LessonBrief.shape
export const SimilarLessons = z
  .object({
    matches: z
      .array(z.object({ id, path, similarity: z.number().min(-1).max(1), type, pinned }))
      .max(mostSimilar)
      .describe('The most similar first'),
    compared: z.int().describe('Live lessons that the text was compared with'),
    without_embedding: z
      .int()
      .describe('Live lessons whose embedding is not there yet; they were not compared'),
    degraded: z
      .literal('embedding_unavailable')
      .optional()
      .describe('Present only if nothing could be compared because the text has no embedding now'),
  })
  .meta({ id: 'SimilarLessons' })
export type SimilarLessons = z.infer<typeof SimilarLessons>

export const findSimilar = route({
  auth: token('memory:read'),
  database: 'memory',
  id: 'lessons.findSimilar',
  method: 'POST',
  is_read: true,
  path: '/api/v1/memory/entries:similar',
  summary: 'Find lessons that say something similar',
  description:
    'Compares a text with every live lesson of the workspace by meaning, for example before writing a new one. A match is a possible duplicate or contradiction: a rule and its negation are similar too. Writes nothing. Of a very long text the beginning counts, as far as the embedding model reads.',
  example: { body: { text: 'Never retry a payment without its idempotency key.' } },
  body: z.object({
    text: text(1, 20_000),
    type: text(1, 40).optional(),
    k: z.int().min(1).max(mostSimilar).default(3),
    threshold: z.number().min(-1).max(1).default(0.9).describe('The lowest cosine similarity that counts'),
  }),
  responses: { 200: SimilarLessons },
  refusals: [scopeMissing],
})
