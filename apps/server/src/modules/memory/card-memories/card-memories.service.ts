import type { CardMemories } from '#modules/boards'
import type { ReadOn } from '#platform/ctx/read-on.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { Outage } from '#platform/outage/outage.ts'
import { isStale } from '../memories/confidence.rules.ts'
import { listAbout, listByIds, vectorOf } from '../search/search.service.ts'

interface Deps {
  readonly vectors: TextVectors
  readonly memory: ReadOn
}

/** For a card that an agent begins: a search, without a model that reranks, which would cost and take seconds. */
export const createCardMemories = ({ vectors, memory }: Deps): CardMemories => ({
  async memoriesAbout(ctx, { agent_id, query, limit }) {
    const now = ctx.now()
    const vector = await vectorOf(ctx, vectors, query)
    try {
      const rows = await memory(ctx, async (ctx) =>
        listByIds(ctx, agent_id, await listAbout(ctx, vectors, agent_id, { query, limit, vector })),
      )
      return {
        memories: rows.map(({ id, version, kind, title, body, verified_at }) => ({
          id,
          version,
          kind,
          title,
          body,
          stale: isStale(verified_at, now),
        })),
        degraded: vectors.is_on && vector === null ? 'embeddings_unavailable' : null,
      }
    } catch (error) {
      if (error instanceof Outage && error.part === 'memory')
        return { memories: [], degraded: 'memory_unavailable' }
      throw error
    }
  },
})
