import type { MemoryExchange } from '@crewhall/contracts/fleet/desk-memory.ts'
import { exchangeSection } from '#modules/memory'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { findDesk } from '../desks/desks.store.ts'
import { deskOf } from '../protocol/registration.service.ts'

const nothing = { lines: [], memory_ids: [] }

export async function exchangeMemory(ctx: OutsideBrandCtx, given: MemoryExchange) {
  const agent_id = (await findDesk(ctx, deskOf(ctx).desk_id))?.agent_id ?? null
  if (agent_id === null) return { agent_id, reason: 'no_agent' as const, ...nothing }
  const wanted = await exchangeSection(ctx, agent_id, given)
  if (typeof wanted === 'string') return { agent_id, reason: wanted, ...nothing }
  return { agent_id, reason: null, lines: [...wanted.lines], memory_ids: [...wanted.memory_ids] }
}
