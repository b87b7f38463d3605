import type { MemoryKind, MemoryStatus } from '@crewhall/contracts/memory/fields.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface Counted {
  readonly status: MemoryStatus
  readonly kind: MemoryKind
  readonly count: number
  /** Sum of the effective confidence. */
  readonly confidence: number
}

// From the index alone, which has all that is asked for: nothing to keep in step, and no lock that writers would share.
const counted = (whose: ReturnType<typeof sql>) =>
  sql`select status, kind, count(*)::int as count, sum(memory.effective_confidence(confidence, anchored_at, importance,
     (select platform.now()))) as confidence
   from memory.memories where ${whose} group by status, kind`
const all = brandStatement<object, Counted>((p) => counted(sql`brand_id = ${p.brand_id}`))
const ofAgent = brandStatement<{ agent_id: string }, Counted>((p) =>
  counted(sql`brand_id = ${p.brand_id} and agent_id = ${p.agent_id}`),
)

export const countMemories = (ctx: BrandCtx, agent_id: string | undefined) =>
  agent_id === undefined ? ctx.db.all(all, {}) : ctx.db.all(ofAgent, { agent_id })
