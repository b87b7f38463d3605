import { bagOfWords } from '@crewhall/testkit/stand-in-model.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Sql } from '@crewhall/testkit/world/database-access.ts'

interface VectorRow {
  readonly model: string
  readonly dimension: number
  readonly vector: string
}

/** Whether a stored vector is the one that the stand-in model gives a text. */
export function isVectorOf({ vector, dimension }: VectorRow, text: string): boolean {
  const stored = JSON.parse(vector) as number[]
  const expected = bagOfWords(text, dimension)
  const product = stored.reduce((sum, value, n) => sum + value * (expected[n] ?? 0), 0)
  // Stored with three digits.
  return product / (Math.hypot(...stored) * Math.hypot(...expected)) > 0.9999
}

/** What a test sees of vectors and of the queue for them. */
export const vectorRows = (sql: Sql) => {
  const waiting = async () =>
    Number((await sql<{ n: string }>('select count(*) as n from memory.embedding_queue'))[0]?.n)
  return {
    waiting,
    isQuiet: () => waitFor(async () => (await waiting()) === 0, 60_000),
    vectorsOf: (id: string) =>
      sql<VectorRow>(
        'select model, dimension, vector::text as vector from memory.embeddings where memory_id = $1',
        [id],
      ),
  }
}
