import type { PieceLimits } from '#platform/embeddings/pieces.ts'
import type { Vector } from '#platform/embeddings/vectors.ts'

/** `query`: somebody waits for it. `document`: what is searched later. Some models tell them apart. */
export type EmbeddingKind = 'query' | 'document'

export interface BatchLimits {
  readonly pieces: number
  /** Of all pieces together. One piece is always within it. */
  readonly characters: number
}

/** What makes vectors of pieces, a batch at a time. It throws nothing but an `Outage`. */
export interface EmbeddingProvider {
  readonly model: string
  readonly dimension: number
  readonly pieces: PieceLimits
  /** Of a call; small, so that a query never waits for long behind background work. */
  readonly batch: BatchLimits
  readonly concurrency: number
  /** Limit of one batch. */
  readonly limit_ms: Readonly<Record<EmbeddingKind, number>>
  /** A vector for each piece, of the dimension of the model. */
  embed(pieces: readonly string[], kind: EmbeddingKind, signal: AbortSignal): Promise<readonly Vector[]>
  close(): Promise<void>
}
