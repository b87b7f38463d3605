import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { RefusalKind } from '@crewhall/contracts/refusal.ts'
import type { Bound } from '#platform/bulkheads/bound.ts'
import type { BrandCtx, OutsideBrandCtx, OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Outside } from '#platform/ctx/outside.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { ListedObject, Storage, StoredFile, StoredObject } from '#platform/storage/storage.ts'

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

/** What is refused while the storage is away, and where there is none. */
export interface StorageWords {
  readonly away: RefusalKind
  readonly absent: RefusalKind
}

/** What a kind of objects does by itself, whatever they hold. */
export interface KeptObjects {
  /** Whether there is a storage at all. */
  readonly is_configured: boolean
  /** Called in the transaction that names the object: too late, the sweep might have taken it already. */
  refuseLate(ctx: BrandCtx, put: PutObject): void
  drop(outside: Outside, object_key: string): Promise<void>
  /** All of a workspace, with or without a row, a few at a time. Returns how many of `limit`. */
  dropAllOf(ctx: OutsideBrandCtx, limit: number): Promise<number>
  /**
   * Removes objects that no row names: those of uploads that died between the storage and the commit. It walks
   * through the keys in small pages, remembers where it is, and starts over at the end.
   */
  sweep(ctx: OutsideSystemCtx, rows: ObjectRows, bounds?: SweepBounds): Promise<void>
}

/** Objects that are small enough for memory. */
export interface SmallObjects extends KeptObjects {
  put(ctx: OutsideBrandCtx, object: StoredObject): Promise<PutObject>
  find(outside: Outside, object_key: string): Promise<StoredObject | undefined>
}

/** Objects that go through files on disk in both directions. */
export interface FileObjects extends KeptObjects {
  put(ctx: OutsideBrandCtx, file: StoredFile): Promise<PutObject>
  /** Its bytes, or a stream that has to be read to its end or destroyed; it holds one of the places until then. */
  load(ctx: OutsideBrandCtx, object_key: string, size: number): Promise<Uint8Array | Readable | undefined>
}

export const createSmallObjects = (storage: Storage, kind: string, words: StorageWords): SmallObjects => {
  const { newKey, ...kept } = createKept(storage, kind)
  return {
    ...kept,
    put: (ctx, object) => newKey(ctx, (key) => worded(words, storage.put(ctx, key, object))),
    find: (outside, object_key) => worded(words, storage.find(outside, object_key)),
  }
}

export const createFileObjects = (
  storage: Storage,
  kind: string,
  words: StorageWords,
  places: Bound,
): FileObjects => {
  const { newKey, ...kept } = createKept(storage, kind)
  return {
    ...kept,
    put: (ctx, file) => newKey(ctx, (key) => worded(words, storage.putFile(ctx, key, file))),
    async load(ctx, object_key, size) {
      const owner = String(ctx.brandId)
      if (!places.admits(owner)) throw new Outage('service', 'overloaded')
      places.take(owner)
      let bytes: Uint8Array | Readable | undefined
      try {
        bytes = (await worded(words, storage.findFile(ctx, object_key, size)))?.load()
        return bytes
      } finally {
        if (bytes instanceof Readable) bytes.once('close', () => places.leave(owner))
        else places.leave(owner)
      }
    },
  }
}

const bite = 50

/**
 * What users upload, one kind of it: `<kind>/<brand>/<uuid>`. The object is stored first, then a row names it, and it goes
 * by a job of the transaction that removes or replaces the row. What dies in between is left to the sweep.
 */
function createKept(storage: Storage, kind: string) {
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

  const kept: KeptObjects = {
    is_configured: storage.is_configured,
    refuseLate(ctx, { put_at }) {
      if (ctx.now().getTime() - put_at.getTime() > commitLimitMs) throw new Outage('service', 'timeout')
    },
    async drop(outside, object_key) {
      if (brandOf(object_key) === undefined) throw new Error(`this is not a key of ${kind}`)
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
  return {
    ...kept,
    async newKey(ctx: OutsideBrandCtx, put: (object_key: string) => Promise<void>): Promise<PutObject> {
      // Random, so that no two uploads ever share an object and none can be guessed.
      const object_key = `${prefix}${ctx.brandId}/${randomUUID()}`
      const put_at = ctx.now()
      await put(object_key)
      return { object_key, put_at }
    },
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

/** Distinguishes a storage that is not configured from one that is unavailable. */
async function worded<T>({ away, absent }: StorageWords, call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof Outage) || error.part !== 'storage') throw error
    throw error.worded(error.reason === 'not_configured' ? absent : away)
  }
}
