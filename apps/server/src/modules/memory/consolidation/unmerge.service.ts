import { memoryNotFound, notConsolidated } from '@crewhall/contracts/memory/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { insertChange } from '../history/history.store.ts'
import { emit, writeChange } from '../memories/memories.service.ts'
import { deleteMemory, findMemory, lockMemory } from '../memories/memories.store.ts'
import { memoryActorOf } from '../memories/memory-actor.ts'
import * as store from './consolidation.store.ts'

/**
 * A merge changes nothing of a source but its status, so this is all that has to come back. No tombstone: what the pattern
 * says is still true, only no longer in one piece.
 */
export const unmergeMemory = (
  ctx: BrandCtx,
  id: string,
  { reason = 'Un-merged' }: { reason?: string | undefined },
) =>
  ctx.tx(async (ctx) => {
    const found = await findMemory(ctx, id)
    if (!found) throw memoryNotFound()
    await store.lockAgent(ctx, found.agent_id)
    const rows = await store.lockMemories(ctx, [id, ...found.evidence])
    const pattern = rows.find((row) => row.id === id)
    if (!pattern) throw memoryNotFound()
    // Under the lock: it may have taken in more since it was found, or given up what it had.
    const sources = await store.updateUndone(ctx, id)
    if (sources.length === 0) throw notConsolidated()
    const memory_ids = []
    for (const source_id of sources.toSorted()) {
      const source = await lockMemory(ctx, source_id)
      if (source?.status !== 'merged') continue
      await writeChange(ctx, source, { ...source, status: 'active' }, 'unmerged', { reason })
      memory_ids.push(source_id)
    }
    const version = pattern.version + 1
    await insertChange(ctx, { id, version, action: 'deleted', reason, actor: memoryActorOf(ctx.actor) })
    await deleteMemory(ctx, id)
    await emit(ctx, 'memory.deleted', { ...pattern, version })
    await ctx.audit({ action: 'memory.unmerged', target: `memory:${id}`, from: { memory_ids }, to: null })
    return { pattern_id: id, memory_ids }
  })
