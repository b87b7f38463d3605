import { rangeReversed, unknownCursor } from '@crewhall/contracts/conversations/refusals.ts'
import { findAgent } from '#modules/identity'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import type { DailyLimits, SpendLimits } from './spend.service.ts'
import * as store from './spend.store.ts'

interface UsageQuery {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly agent_id?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}
export interface UsageDeps {
  readonly cursors: Cursors
  readonly limits: DailyLimits
}
const [firstDay, lastDay] = ['1970-01-01', '9999-12-31']
/** After every id that there is. */
const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export async function getUsage(ctx: BrandCtx, { cursors, limits }: UsageDeps, query: UsageQuery) {
  const { from = firstDay, to = lastDay, agent_id, limit, cursor } = query
  if (from > to) throw rangeReversed()
  const list = `conversation-usage:${ctx.brandId}`
  const position = cursor === undefined ? `${to}|${last}` : cursors.read(list, cursor)
  const [before_day, before_source] = position?.split('|') ?? []
  if (!before_day || !before_source) throw unknownCursor()
  if (agent_id !== undefined) await findAgent(ctx, agent_id)
  const page = { from, before_day, before_source, limit: limit + 1 }
  const rows = await store.listSpent(ctx, agent_id, page)
  const today = await store.findToday(ctx, 'memory')
  const recall = await store.findToday(ctx, 'recall')
  const usage = rows.slice(0, limit)
  const end = usage.at(-1)
  return {
    usage: usage.map(({ day, purpose, source_id, agent_id, calls, tokens }) => ({
      day,
      purpose,
      source_id: purpose === 'reading' ? source_id : null,
      agent_id,
      calls,
      tokens,
    })),
    next_cursor: end && rows.length > limit ? cursors.issue(list, `${end.day}|${end.source_id}`) : null,
    today: {
      ...compared(today, limits.memory),
      recall: compared(recall, limits.recall),
      resets_at: today.resets_at,
    },
  }
}

const compared = ({ calls, tokens }: store.Today, limits: SpendLimits) => ({
  calls,
  tokens,
  call_limit: limits.calls,
  token_limit: limits.tokens,
})
