import type { MemoryStatus } from '@crewhall/contracts/memory/fields.ts'
import type { MemoryStats } from '@crewhall/contracts/memory/stats.ts'
import { findAgent } from '#modules/identity'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { countMemories } from './stats.store.ts'

export async function getStats(ctx: BrandCtx, agent_id: string | undefined): Promise<MemoryStats> {
  if (agent_id !== undefined) await findAgent(ctx, agent_id)
  const counts = await countMemories(ctx, agent_id)
  const total = (status: MemoryStatus) =>
    counts.reduce((sum, each) => sum + (each.status === status ? each.count : 0), 0)
  const active = counts.filter(({ status }) => status === 'active')
  const sum = active.reduce((sum, { confidence }) => sum + confidence, 0)
  return {
    total_active: total('active'),
    total_archived: total('archived'),
    total_merged: total('merged'),
    by_kind: Object.fromEntries(active.map(({ kind, count }) => [kind, count])),
    avg_confidence: Math.round((sum / Math.max(1, total('active'))) * 10_000) / 10_000,
  }
}
