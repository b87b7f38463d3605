import { keptHealthEvents } from '@crewhall/contracts/fleet/health.ts'
import type { BrandTx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Checked } from './check.service.ts'
import * as store from './checks.store.ts'
import { causeOf, type NextHealth, noticeOf, type Outcome } from './health.rules.ts'
import * as timeline from './timeline.store.ts'

/** More misses than that say nothing new. */
const missesNoted = 3

/** Whether a check has found anything that is not in the row. */
export function isNews(desk: store.WatchedRow, outcome: Outcome, next: NextHealth): boolean {
  if (next.state !== desk.state || !desk.is_checked || next.is_upgraded || desk.is_settled) return true
  if (causeOf(outcome) !== desk.miss_cause) return true
  if (outcome.kind === 'answered')
    return (
      !desk.has_answered || desk.misses > 0 || desk.is_misrouted || desk.is_stale || desk.version === null
    )
  return next.misses <= missesNoted || (outcome.kind === 'misrouted' && !desk.is_misrouted)
}

/** Whether all that is new is that it is still there. */
export const isOnlyHeard = (desk: store.WatchedRow, outcome: Outcome, next: NextHealth): boolean =>
  outcome.kind === 'answered' && desk.is_stale && !isNews({ ...desk, is_stale: false }, outcome, next)

export async function noteFound(
  ctx: OutsideSystemCtx,
  cell: store.HeldCell,
  { desk, outcome, latency_ms, next }: Checked & { readonly next: NextHealth },
): Promise<void> {
  const { id, brand_id, generation } = desk
  const { kind } = outcome
  const miss_cause = causeOf(outcome)
  const is_turn = next.state !== desk.state
  await ctx.forBrand(brand_id).tx(async (ctx) => {
    const found = { ...cell, id, generation, kind, miss_cause, is_turn, ...next }
    if (!(await store.updateFound(ctx, found))) return
    if (is_turn || miss_cause !== desk.miss_cause || !desk.is_checked) {
      const { state, misses } = next
      const event = {
        id,
        kind: 'check',
        from_state: desk.state,
        state,
        cause: miss_cause,
        misses,
        latency_ms,
      } as const
      await timeline.insertHealthEvent(ctx, event, keptHealthEvents)
    }
    await tell(ctx, desk, next)
  })
}

async function tell(ctx: BrandTx, desk: store.WatchedRow, { state }: NextHealth): Promise<void> {
  const { id, is_flapping } = desk
  const emit = (type: 'desk.reached' | 'desk.lost' | 'desk.flapping') =>
    ctx.emit({ type, subject_id: id, data: { workstation_id: id, status: state } })
  const change = state === 'ready' ? 'desk.reached' : 'desk.lost'
  if (state === desk.state) {
    if (!desk.is_settled) return
    // What became of it in the end.
    await timeline.updateFlapping(ctx, id, false)
    if (state !== 'provisioning') await emit(change)
    return
  }
  const notice = noticeOf({ recent_turns: await timeline.countTurns(ctx, id), is_flapping })
  if (notice === 'nothing') return
  if (notice === 'flapping') await timeline.updateFlapping(ctx, id, true)
  await emit(notice === 'flapping' ? 'desk.flapping' : change)
}
