import type { Knew } from '@crewhall/contracts/boards/knew.ts'
import { cardArchived, cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import { type Run, runNotFound, runOver } from '@crewhall/contracts/boards/runs.ts'
import type { Paging } from '@crewhall/contracts/wire.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { LongList } from '#platform/http/list-answer.ts'
import { batchesOf, type Sized } from '../batches.rules.ts'
import { findCard } from '../card-data/cards.store.ts'
import { refusalOfEpoch } from '../card-data/claims.rules.ts'
import { withCard } from '../cards/locked-card.service.ts'
import { lessonScopes, mayRead, memoryScopes } from '../context/context.service.ts'
import { endClaim } from '../leases/claim-end.service.ts'
import { isNews, lineOf, newsOf } from '../leases/run-news.rules.ts'
import * as store from '../leases/runs.store.ts'
import { tellBroke } from '../telling/tell-readers.service.ts'
import { sameWorkerOf, workerActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'

export async function listRunPage(
  ctx: BrandCtx,
  card_id: string,
  { page, per_page, include }: Paging & { readonly include?: 'knew' | undefined },
): Promise<LongList<Run>> {
  const with_knew = include === 'knew'
  const [card, sized] = await Promise.all([
    findCard(ctx, card_id),
    store.listSizedRuns(ctx, { card_id, limit: per_page, offset: (page - 1) * per_page, with_knew }),
  ])
  if (!card) throw cardNotFound()
  return { head: { total: card.runs_count, page, per_page }, batches: read(ctx, sized, with_knew) }
}

async function* read(ctx: BrandCtx, sized: readonly Sized[], with_knew: boolean): AsyncGenerator<Run[]> {
  for (const ids of batchesOf(sized)) {
    const rows = await store.listRuns(ctx, ids, with_knew)
    yield rows.map(({ knew, ...row }) => ({
      ...presentRun(row),
      ...(with_knew ? { knew: readableKnew(ctx, knew) } : {}),
    }))
  }
}

/** Of lessons and memories, ids are for those who may read them. */
function readableKnew(ctx: BrandCtx, knew: Knew | null | undefined): Knew | null {
  if (!knew) return null
  const { lessons, memories, ...rest } = knew
  return {
    ...rest,
    ...(lessons && mayRead(ctx, lessonScopes) ? { lessons } : {}),
    ...(memories && mayRead(ctx, memoryScopes) ? { memories } : {}),
  }
}

export const startRun = (
  ctx: BrandCtx,
  card_id: string,
  { epoch, worker }: { epoch?: number | undefined; worker?: string | undefined },
  id?: string,
): Promise<Run> =>
  withCard(ctx, card_id, async (ctx, { board, card }) => {
    if (card.archived_at !== null) throw cardArchived()
    const stale = refusalOfEpoch(card, epoch)
    if (stale) throw stale
    const started_by = workerActorOf(ctx.actor, worker)
    const run = await store.insertRun(ctx, {
      id: id ?? null,
      card_id,
      claim_epoch: epoch ?? null,
      started_by,
    })
    if (!run) throw cardNotFound()
    await store.updateLastRun(ctx, { card_id, tokens: 0, cost_micros: 0 })
    const entry = { board_id: board.id, card_id, actor: started_by }
    await recordActivity(ctx, { ...entry, action: 'run.started', data: { run_id: run.id } })
    return presentRun(run)
  })

interface RunChange {
  readonly status?: 'succeeded' | 'failed' | 'canceled' | 'lost' | undefined
  readonly reason?: string | null | undefined
  readonly summary?: string | undefined
  readonly usage?:
    | { readonly tokens?: number | undefined; readonly cost_micros?: number | undefined }
    | undefined
}

export async function changeRun(ctx: BrandCtx, id: string, change: RunChange): Promise<Run> {
  const seen = await store.findRun(ctx, id)
  if (!seen) throw runNotFound()
  return withCard(ctx, seen.card_id, async (ctx, { board, card }) => {
    const before = await store.findRun(ctx, id)
    if (!before) throw runNotFound()
    // Its claim has ended: current work on the card belongs to another run.
    if (before.status !== 'running' || before.is_late) throw runOver()
    const after = await store.updateRun(ctx, id, {
      status: change.status ?? before.status,
      reason: change.reason === undefined ? before.reason : change.reason,
      summary: change.summary ?? before.summary,
      usage_tokens: change.usage?.tokens ?? before.usage_tokens,
      usage_cost_micros: change.usage?.cost_micros ?? before.usage_cost_micros,
    })
    if (!after) throw runNotFound()
    await store.updateLastRun(ctx, {
      card_id: card.id,
      tokens: after.usage_tokens - before.usage_tokens,
      cost_micros: after.usage_cost_micros - before.usage_cost_micros,
    })
    const actor = sameWorkerOf(ctx.actor, before.started_by)
    const entry = { board_id: board.id, card_id: card.id, actor, data: newsOf(after) }
    if (after.status === 'running') {
      if (isNews(before, after)) await recordActivity(ctx, { ...entry, action: 'run.updated' })
    } else {
      await recordActivity(ctx, { ...entry, action: 'run.finished' })
      if (after.status === 'failed' || after.status === 'lost')
        await tellBroke(ctx, card.id, { reason: after.reason ?? lineOf(after.summary), actor })
      // Whatever the reason: a worker that has stopped must not hold the card.
      if (card.is_claimed && before.claim_epoch === card.claim_epoch) {
        await endClaim(ctx, card, { action: 'task.released', actor, reason: 'run_finished' })
      }
    }
    return presentRun(after)
  })
}

export function presentRun(row: store.RunRow): Run {
  const { id, card_id, number, status, reason, summary, started_by, claim_epoch } = row
  return {
    id,
    task_id: card_id,
    number,
    status,
    reason,
    summary,
    usage: { tokens: row.usage_tokens, cost_micros: row.usage_cost_micros },
    started_by,
    claim_epoch,
    started_at: row.started_at,
    finished_at: row.finished_at,
  }
}
