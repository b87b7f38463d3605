import { isDeepStrictEqual } from 'node:util'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { presentVersions } from './catalog.present.ts'
import { note, publishNext } from './catalog.service.ts'
import * as store from './catalog.store.ts'
import { nextOfRelease } from './publication.rules.ts'
import { readShipped, type ShippedEmployee } from './shipped-files.ts'
import { findFaults } from './templates.service.ts'

/**
 * Brings the employees of the release into the catalog. Safe to run again and by two processes at once: what is the same
 * stays as it is, and what an operator has changed is theirs.
 */
export async function loadShipped(ctx: SystemCtx, folder: string): Promise<void> {
  for (const shipped of await readShipped(folder)) {
    const faults = await findFaults(ctx, shipped.content.template)
    if (faults.length > 0)
      throw new Error(`the employee ${shipped.key} cannot be published: ${JSON.stringify(faults)}`)
    const done = await loadOne(ctx, shipped)
    if (done !== 'same') ctx.log.info({ employee: shipped.key, done }, 'employee of the release')
  }
}

const loadOne = (ctx: SystemCtx, { profile_id, key, content }: ShippedEmployee) =>
  ctx.tx(async (ctx) => {
    await store.insertEmployee(ctx, { profile_id, key, managed_by: 'release' })
    const before = await store.lockEmployeeByKey(ctx, key)
    const known = before && presentVersions(await store.listVersions(ctx, before.profile_id))
    const is_same = isDeepStrictEqual(known?.published, content)
    const next = nextOfRelease(before, { profile_id, is_same })
    if (before && next === 'publish') {
      await store.upsertDraft(ctx, profile_id, content)
      const version = await publishNext(ctx, before, 'release')
      await note(ctx, 'employee.published', before, { ...before, status: 'published', version })
    }
    return next
  })
