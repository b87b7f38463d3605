import { setTimeout } from 'node:timers/promises'
import type { BrandTx, OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Directories } from '#platform/shared-files/directories.ts'
import { directoryOf } from '../building/build.rules.ts'
import { nextLookSeconds, nextTrySeconds } from './removal.rules.ts'
import * as store from './removals.store.ts'

/** A disk that hangs must not hold up whoever cancels, nor all threads of a process that wait for disks. */
const patienceMs = 5000
const mostAtOnce = 2
/** So that the worker does not come between a request and its own try. */
export const ownTrySeconds = 60
const leaseSeconds = 300
const inOneRun = 100

/**
 * In the transaction that ends the hire: whatever happens to whoever tries first, somebody goes on. After so many seconds
 * that is the worker.
 */
export const oweRemoval = (ctx: BrandTx, hire_id: string, seconds: number): Promise<number> => {
  const { folders, name } = directoryOf(ctx.brandId, hire_id)
  return store.insertRemoval(ctx, { hire_id, directory: [...folders, name].join('/'), seconds })
}

export class Removals {
  readonly #directories: Pick<Directories, 'remove'> | undefined
  #underWay = 0

  /** Undefined where agents have no directories. */
  constructor(directories: Pick<Directories, 'remove'> | undefined) {
    this.#directories = directories
  }

  /** HIRE-27: whether configuration and directory are gone now. The end of the hire is committed and stays, whatever fails here. */
  async tryNow(ctx: OutsideBrandCtx, hire_id: string): Promise<boolean> {
    if (this.#underWay >= mostAtOnce) return false
    this.#underWay += 1
    const removing = this.#remove(ctx, hire_id)
      .then(
        () => true,
        (error: unknown) => {
          ctx.log.warn({ error, hire_id }, 'could not remove what belonged to a hire; it is tried again')
          return false
        },
      )
      .finally(() => {
        this.#underWay -= 1
      })
    const patience = new AbortController()
    const late = setTimeout(patienceMs, false, { signal: patience.signal }).catch(() => false)
    const done = await Promise.race([removing, late])
    patience.abort()
    return done
  }

  /** What is still owed, and looks at what was removed. One that fails does not hold up the others. */
  async goOn(ctx: OutsideSystemCtx, signal: AbortSignal): Promise<void> {
    const due = await store.claimRemovals(ctx, inOneRun, leaseSeconds)
    for (const { brand_id, hire_id, tries, is_removed } of due) {
      if (signal.aborted) return
      const brand = ctx.forBrand(brand_id)
      await ctx.faultPoint('hires.removal')
      try {
        await this.#remove(brand, hire_id)
        if (is_removed) await this.#looked(brand, hire_id, tries)
      } catch (error) {
        ctx.log.warn({ error, brand_id, hire_id, tries }, 'could not remove what belonged to a hire')
        // Looks do not count failures: what is there again is removed as soon as that works.
        const wait = nextTrySeconds(is_removed ? 1 : tries + 1)
        await store.updateDeferred(brand, hire_id, is_removed ? tries : tries + 1, wait)
      }
    }
  }

  async #looked(ctx: OutsideBrandCtx, hire_id: string, looked: number): Promise<void> {
    const wait = nextLookSeconds(looked + 1)
    if (wait === undefined) await store.deleteRemoval(ctx, hire_id)
    else await store.updateDeferred(ctx, hire_id, looked + 1, wait)
  }

  /** The directory first: as long as the record is there, one can see what it belonged to. Safe to repeat. */
  async #remove(ctx: OutsideBrandCtx, hire_id: string): Promise<void> {
    const place = directoryOf(ctx.brandId, hire_id)
    // False while there is more of it.
    while ((await this.#directories?.remove(ctx, place)) === false) await ctx.faultPoint('hires.removing')
    await ctx.faultPoint('hires.removed')
    await ctx.tx(async (ctx) => {
      await store.deleteManagementRecord(ctx, hire_id)
      await store.updateRemoved(ctx, hire_id, nextLookSeconds(0) ?? 0)
    })
  }
}
