import type { Memory, MemoryStatus } from '@crewhall/contracts/memory/fields.ts'
import { memoryNotFound, versionIsDeletion, versionNotFound } from '@crewhall/contracts/memory/refusals.ts'
import { holdAgent } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { Sweep } from '#platform/jobs/sweep.ts'
import { isMerged } from '../consolidation/consolidation.store.ts'
import { presentMemory } from '../memories/memories.present.ts'
import { emit, hashOf, writeChange } from '../memories/memories.service.ts'
import * as memories from '../memories/memories.store.ts'
import { isPersonActing, memoryActorOf } from '../memories/memory-actor.ts'
import { deleteTombstones } from '../memories/tombstones.store.ts'
import { presentChange } from './history.present.ts'
import * as store from './history.store.ts'

const beyond = 2_147_483_647

export async function listHistory(
  ctx: BrandCtx,
  id: string,
  { before = beyond, limit }: { before?: number | undefined; limit: number },
) {
  const rows = await store.listChanges(ctx, id, before, limit + 1)
  // Whoever reads on may find nothing more; a memory without any change is no memory.
  if (rows.length === 0 && before === beyond) throw memoryNotFound()
  const page = rows.slice(0, limit)
  return {
    changes: page.map(presentChange),
    next_before: rows.length > limit ? (page.at(-1)?.version ?? null) : null,
  }
}

interface Restoration {
  readonly version: number
  readonly reason?: string | undefined
}

export const restoreMemory = (ctx: BrandCtx, id: string, wanted: Restoration): Promise<Memory> =>
  ctx.tx(async (ctx) => {
    await memories.lockMemoryId(ctx, id)
    const present = await memories.lockMemory(ctx, id)
    const latest = await store.findLatestChange(ctx, id)
    if (!latest) throw memoryNotFound()
    const [change] = await store.listChanges(ctx, id, wanted.version + 1, 1)
    if (change?.version !== wanted.version) throw versionNotFound()
    if (!change.after) throw latest.action === 'purged' ? versionNotFound() : versionIsDeletion()
    const state = {
      ...change.after,
      status: await restoredStatus(ctx, id, change.after),
      is_locked: change.after.is_locked || isPersonActing(ctx.actor),
    }
    const row = present
      ? await writeChange(ctx, present, state, 'restored', wanted)
      : await bringBack(ctx, id, state, { ...wanted, version: latest.version + 1 })
    return presentMemory(row, ctx.now())
  })

/** MEMO-G18: nothing is merged but what is in a pattern. */
const restoredStatus = async (ctx: BrandTx, id: string, { status }: store.Snapshot): Promise<MemoryStatus> =>
  status === 'merged' && !(await isMerged(ctx, id)) ? 'active' : status

/** A deleted memory with all that it had; its tombstone goes. */
async function bringBack(
  ctx: BrandTx,
  id: string,
  state: store.Snapshot,
  { version, reason }: Restoration,
): Promise<memories.MemoryRow> {
  const { agent_id } = await holdAgent(ctx, state.agent_id)
  const actor = memoryActorOf(ctx.actor)
  const text_hash = hashOf(state)
  await store.insertChange(ctx, { id, version, action: 'restored', reason: reason ?? null, actor })
  const row = await memories.insertAgain(ctx, {
    id,
    version,
    ...state,
    agent_id,
    text_hash,
    actor: JSON.stringify(actor),
    created_by: JSON.stringify(state.created_by),
  })
  if (!row) throw memoryNotFound()
  await deleteTombstones(ctx, id, text_hash)
  await emit(ctx, 'memory.restored', row)
  return row
}

/** How long a deleted memory can be brought back. */
const days = 90

export const historySweep: Sweep = {
  table: 'memory.history',
  bite: (ctx, limit) => store.deleteOldHistories(ctx, days, limit),
}
