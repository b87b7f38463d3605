import type { OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Outside } from '#platform/ctx/outside.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { ListedObject, Storage } from '#platform/storage/storage.ts'
import { brandOfKey, photoPrefix } from './photo-key.ts'
import * as store from './photos.store.ts'

/** Longer than any upload may take between its object and its row. */
const graceMs = 60 * 60_000

export interface SweepBounds {
  readonly page_size: number
  /** Per run. The next run continues where this one stops. */
  readonly max_pages: number
}
const standard: SweepBounds = { page_size: 500, max_pages: 20 }

export async function dropObject(ctx: Outside, storage: Storage, object_key: string): Promise<void> {
  if (brandOfKey(object_key) === undefined) throw new Error('this is not the key of a photo')
  await storage.remove(ctx, object_key)
}

/**
 * Removes objects that no row names: those of uploads that died between the storage and the commit. It walks
 * through the keys in small pages, remembers where it is, and starts over at the end.
 */
export async function sweepObjects(
  ctx: OutsideSystemCtx,
  storage: Storage,
  bounds = standard,
): Promise<void> {
  try {
    for (let page = 0; page < bounds.max_pages; page += 1)
      if (await sweepPage(ctx, storage, bounds.page_size)) return
  } catch (error) {
    // Without a storage there is nothing to sweep, and nothing that a retry would change.
    if (!(error instanceof Outage && error.reason === 'not_configured')) throw error
  }
}

/** Returns whether that was the last page. */
async function sweepPage(ctx: OutsideSystemCtx, storage: Storage, limit: number): Promise<boolean> {
  const after = await store.findSweepPosition(ctx)
  const page = await storage.list(ctx, photoPrefix, { after, limit })
  for (const key of await listForgotten(ctx, page)) await storage.remove(ctx, key)
  const isLast = page.length < limit
  await store.updateSweepPosition(ctx, isLast ? '' : (page.at(-1)?.key ?? ''))
  return isLast
}

async function listForgotten(ctx: SystemCtx, page: readonly ListedObject[]): Promise<string[]> {
  const until = ctx.now().getTime() - graceMs
  const old = page.filter(({ modified_at }) => modified_at.getTime() < until).map(({ key }) => key)
  const forgotten: string[] = []
  for (const [brandId, keys] of Map.groupBy(old, brandOfKey)) {
    // What nobody here has made is not ours to remove.
    if (brandId === undefined) continue
    const named = new Set(await store.listNamedKeys(ctx.forBrand(brandId), keys))
    forgotten.push(...keys.filter((key) => !named.has(key)))
  }
  return forgotten
}
