import type { EmbeddedTexts } from '#platform/embeddings/embedder.ts'
import { textHash } from './text-hash.ts'
import * as store from './vectors.store.ts'

/** What the embedder of the platform asks for. */
export const lessonTexts: EmbeddedTexts = {
  name: 'lessons',
  queue: store.lessonQueue,
  async listTexts(ctx, ids, model) {
    const found = await store.listBodies(ctx, ids, model)
    return found.map(({ id, body, text_hash }) => {
      const hash = textHash(body)
      return { id, text: body, hash, is_known: text_hash?.equals(hash) ?? false }
    })
  },
  insertVectors: store.insertVectors,
}
