import { randomUUID } from 'node:crypto'
import { imageStorageAbsent, imageStorageAway } from '@crewhall/contracts/pictures.ts'
import type { BrandCtx, OutsideBrandCtx, OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Outside } from '#platform/ctx/outside.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { ListedObject, Storage, StoredObject } from '#platform/storage/storage.ts'

/** Longer than any upload may take between its object and its row. */
const graceMs = 60 * 60_000
/** Well before the sweep takes an object for forgotten: what is committed later than this might be gone. */
const commitLimitMs = 10 * 60_000

/** An object that was stored and that no row names yet. */
export interface PutObject {
  readonly object_key: string
  readonly put_at: Date
}

/** What the sweep has to know of the rows that name objects, and where it remembers its place. */
export interface ObjectRows {
  findPosition(ctx: SystemCtx): Promise<string>
  updatePosition(ctx: SystemCtx, after_key: string): Promise<unknown>
  /** Those of the given keys that a row names. */
  listNamed(ctx: BrandCtx, object_keys: readonly string[]): Promise<readonly string[]>
}

export interface SweepBounds {
  readonly page_size: number
  /** Per run. The next run continues where this one stops. */
  readonly max_pages: number
}
const standard: SweepBounds = { page_size: 500, max_pages: 20 }

/**
 * Pictures that users upload, one kind of them: `<prefix>/<brand>/<uuid>`. The object is stored first, then a row names
 * it, and the object before goes by a job of that transaction. What dies in between is left to the sweep.
 */
export interface PictureObjects {
  /** Whether there is a storage at all. */
  readonly is_configured: boolean
  put(ctx: OutsideBrandCtx, object: StoredObject): Promise<PutObject>
  /** Called in the transaction that names the object: too late, the sweep might have taken it already. */
  refuseLate(ctx: BrandCtx, put: PutObject): void
  find(outside: Outside, object_key: string): Promise<StoredObject | undefined>
  drop(outside: Outside, object_key: string): Promise<void>
  /** All of a workspace, with or without a row, a few at a time. Returns how many of `limit`. */
  dropAllOf(ctx: OutsideBrandCtx, limit: number): Promise<number>
  /**
   * Removes objects that no row names: those of uploads that died between the storage and the commit. It walks
   * through the keys in small pages, remembers where it is, and starts over at the end.
   */
  sweep(ctx: OutsideSystemCtx, rows: ObjectRows, bounds?: SweepBounds): Promise<void>
}

const bite = 50

export function createPictureObjects(storage: Storage, kind: `${string}-photos`): PictureObjects {
  const prefix = `${kind}/`
  const form = new RegExp(`^${prefix}([1-9]\\d{0,9})/[0-9a-f-]{36}$`)
  /** The workspace that a key belongs to; nothing for a key that was not made here. */
  const brandOf = (key: string): number | undefined => {
    const brand = form.exec(key)?.[1]
    return brand === undefined ? undefined : Number(brand)
  }

  async function forgottenIn(ctx: SystemCtx, rows: ObjectRows, page: readonly ListedObject[]) {
    const until = ctx.now().getTime() - graceMs
    const old = page.filter(({ modified_at }) => modified_at.getTime() < until).map(({ key }) => key)
    const forgotten: string[] = []
    for (const [brandId, keys] of Map.groupBy(old, brandOf)) {
      // What nobody here has made is not ours to remove.
      if (brandId === undefined) continue
      const named = new Set(await rows.listNamed(ctx.forBrand(brandId), keys))
      forgotten.push(...keys.filter((key) => !named.has(key)))
    }
    return forgotten
  }

  /** Returns whether that was the last page. */
  async function sweepPage(ctx: OutsideSystemCtx, rows: ObjectRows, limit: number): Promise<boolean> {
    const after = await rows.findPosition(ctx)
    const page = await storage.list(ctx, prefix, { after, limit })
    for (const key of await forgottenIn(ctx, rows, page)) await storage.remove(ctx, key)
    const isLast = page.length < limit
    await rows.updatePosition(ctx, isLast ? '' : (page.at(-1)?.key ?? ''))
    return isLast
  }

  return {
    is_configured: storage.is_configured,
    async put(ctx, object) {
      // Random, so that no two uploads ever share an object and none can be guessed.
      const object_key = `${prefix}${ctx.brandId}/${randomUUID()}`
      const put_at = ctx.now()
      await worded(storage.put(ctx, object_key, object))
      return { object_key, put_at }
    },
    refuseLate(ctx, { put_at }) {
      if (ctx.now().getTime() - put_at.getTime() > commitLimitMs) throw new Outage('service', 'timeout')
    },
    find: (outside, object_key) => worded(storage.find(outside, object_key)),
    async drop(outside, object_key) {
      if (brandOf(object_key) === undefined) throw new Error('this is not the key of a picture')
      await storage.remove(outside, object_key)
    },
    dropAllOf: (ctx, limit) =>
      whereConfigured(0, async () => {
        const found = await storage.list(ctx, `${prefix}${ctx.brandId}/`, { limit: bite })
        for (const { key } of found) await storage.remove(ctx, key)
        return found.length === bite ? limit : 0
      }),
    sweep: (ctx, rows, bounds = standard) =>
      whereConfigured(undefined, async () => {
        for (let page = 0; page < bounds.max_pages; page += 1)
          if (await sweepPage(ctx, rows, bounds.page_size)) return
      }),
  }
}

/** Without a storage there is no object, and nothing that a retry would change. */
async function whereConfigured<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Outage && error.reason === 'not_configured') return otherwise
    throw error
  }
}

/** MBR-16, ENV-30, ENV-34: distinguishes a storage that is not configured from one that is unavailable. */
async function worded<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof Outage) || error.part !== 'storage') throw error
    throw error.worded(error.reason === 'not_configured' ? imageStorageAbsent : imageStorageAway)
  }
}
