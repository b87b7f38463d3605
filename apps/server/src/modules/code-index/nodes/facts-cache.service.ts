import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Sweep } from '#platform/jobs/sweep.ts'
import * as store from './blob-facts.store.ts'

/**
 * Facts of blobs by a key that names blob and language, as one version of the extractor has found them. Each workspace has
 * its own, so that a hit tells nobody what another one has.
 */
export const factsCache = (ctx: BrandCtx, extractor: string) => ({
  async get(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await store.listBlobFacts(ctx, { extractor, keys })
    if (found.length > 0) await store.updateUsed(ctx, { extractor, keys: found.map(({ key }) => key) })
    return new Map(found.map(({ key, facts }) => [key, facts]))
  },
  async put(entries: readonly (readonly [string, string])[]): Promise<void> {
    const keys = entries.map(([key]) => key)
    await store.insertBlobFacts(ctx, { extractor, keys, facts: entries.map(([, facts]) => facts) })
  },
})

/** Facts of blobs that no index has asked for. */
const days = 30
export const factsSweep: Sweep = {
  table: 'code_index.blob_facts',
  bite: (ctx, limit) => store.deleteUnusedFacts(ctx, days, limit),
}
