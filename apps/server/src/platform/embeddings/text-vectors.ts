import type { Outside } from '#platform/ctx/outside.ts'
import type { Embeddings, EmbedOptions } from '#platform/embeddings/embeddings.ts'
import { vectorText } from '#platform/embeddings/vectors.ts'

/** What turns texts into vectors, in the form that the database reads. */
export interface TextVectors {
  readonly is_on: boolean
  readonly model: string
  readonly dimension: number
  /** Throws an `Outage` when there are none now. */
  embed(outside: Outside, texts: readonly string[], options: EmbedOptions): Promise<string[]>
}

export const textVectors = (embeddings: Embeddings): TextVectors => ({
  is_on: embeddings.is_on,
  model: embeddings.model,
  dimension: embeddings.dimension,
  embed: async (...args) => (await embeddings.embed(...args)).map(vectorText),
})
