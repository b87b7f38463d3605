import type { CardMemories } from '#modules/boards'

/** A provider of memories that breaks when a text asks for it. */
export const probeNearMemories: CardMemories = {
  async memoriesAbout(_ctx, { query }) {
    if (query.includes('probe:broken')) throw new Error('broken on request')
    return { memories: [], degraded: null }
  },
}
