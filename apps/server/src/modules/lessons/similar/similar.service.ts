import { setTimeout } from 'node:timers/promises'
import type { SimilarLessons } from '@crewhall/contracts/lessons/similar.ts'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { Outage } from '#platform/outage/outage.ts'
import * as store from './similar.store.ts'

export interface SimilarQuery {
  readonly text: string
  readonly type?: string | undefined
  readonly k: number
  readonly threshold: number
}

/** LES-76: without an embedding of the text nothing is compared, and that is said. */
export async function findSimilar(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  { text, type, k, threshold }: SimilarQuery,
): Promise<SimilarLessons> {
  const { model, dimension } = vectors
  const of = { model, dimension, type: type ?? null }
  const vector = await vectorOf(ctx, vectors, text)
  if (vector === undefined) {
    const { lessons, compared } = await store.countCompared(ctx, of)
    const without_embedding = lessons - compared
    return { matches: [], compared: 0, without_embedding, degraded: 'embedding_unavailable' }
  }
  const { lessons, compared, matches } = await store.compareAll(ctx, { ...of, vector, k, threshold })
  return { matches, compared, without_embedding: lessons - compared }
}

/** After that the model counts as away. */
const limitMs = 5000

/** Embedded as lessons are: with the words that a model wants before a question, no text would be similar to itself. */
async function vectorOf(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  text: string,
): Promise<string | undefined> {
  if (!vectors.is_on) return undefined
  const over = new AbortController()
  const late = setTimeout(limitMs, undefined, { signal: over.signal })
  const embedded = vectors.embed(ctx, [text], { kind: 'document', owner: String(ctx.brandId) })
  // Nobody may be left to hear either.
  for (const each of [late, embedded]) each.catch(() => {})
  try {
    return (await Promise.race([embedded, late]))?.[0]
  } catch (error) {
    if (error instanceof Outage && error.part === 'embeddings') return undefined
    throw error
  } finally {
    over.abort()
  }
}
