import { createHash } from 'node:crypto'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { EmbeddedTexts } from '#platform/embeddings/embedder.ts'
import { Outage } from '#platform/outage/outage.ts'
import { embeddedText } from './embedding.rules.ts'
import * as store from './embeddings.store.ts'

/** What to do without vectors is for the caller to decide. Errors of other kinds are none of these. */
export const noneWhenAway = (error: unknown): undefined => {
  if (!(error instanceof Outage) || error.part !== 'embeddings') throw error
}

/** Beside a vector, it says of which text that is. */
export const embeddedHash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** What the embedder of the platform asks for. */
export const memoryTexts: EmbeddedTexts = {
  name: 'memory',
  queue: store.memoryQueue,
  async listTexts(ctx, ids, model) {
    const found = await store.listTexts(ctx, ids, model)
    return found.map(({ id, embedded_hash, ...memory }) => {
      const text = embeddedText(memory)
      const hash = embeddedHash(text)
      return { id, text, hash, is_known: embedded_hash?.equals(hash) ?? false }
    })
  },
  insertVectors: store.insertVectors,
}

const mostCounted = 100_000
export const getProgress = async (ctx: SystemCtx) =>
  (await store.countProgress(ctx, mostCounted)) ?? { embeddings_waiting: 0, embeddings_walked: 0 }
