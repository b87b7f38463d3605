import { memoryNotFound } from '@crewhall/contracts/memory/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { writeDeletion } from '../memories/memories.service.ts'
import { lockMemory, lockMemoryId } from '../memories/memories.store.ts'
import { memoryActorOf } from '../memories/memory-actor.ts'
import { findLatestChange, insertChange } from './history.store.ts'
import { deleteTexts } from './purge.store.ts'

interface Because {
  readonly reason?: string | undefined
}

/** A memory that is still there is deleted first, as by any other deletion. */
export const purgeMemory = (ctx: BrandCtx, id: string, { reason }: Because): Promise<void> =>
  ctx.tx(async (ctx) => {
    await lockMemoryId(ctx, id)
    const present = await lockMemory(ctx, id)
    if (present) await writeDeletion(ctx, present, {})
    const latest = await findLatestChange(ctx, id)
    if (!latest) throw memoryNotFound()
    if (latest.action === 'purged') return
    await deleteTexts(ctx, id)
    const actor = memoryActorOf(ctx.actor)
    const version = latest.version + 1
    await insertChange(ctx, { id, version, action: 'purged', reason: reason ?? null, actor })
    await ctx.audit({ action: 'memory.purged', target: `memory:${id}`, from: null, to: null })
  })
