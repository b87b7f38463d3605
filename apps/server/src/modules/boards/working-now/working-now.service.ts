import { unknownWorkingCursor, type WorkingCard } from '@crewhall/contracts/boards/working-now.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { lineOf } from '../leases/run-news.rules.ts'
import * as store from './working-now.store.ts'

/** The position is that of a claim, so claims that end meanwhile shift nothing. */
export async function readWorkingNow(
  ctx: BrandCtx,
  cursors: Cursors,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): Promise<{ items: WorkingCard[]; next_cursor: string | null }> {
  const list = `working-now:${ctx.brandId}`
  const place = cursor === undefined ? store.firstPlace : placeOf(cursors.read(list, cursor))
  if (!place) throw unknownWorkingCursor()
  const rows = await store.listWorking(ctx, { ...place, limit })
  const last = rows.length === limit ? rows.at(-1) : undefined
  const next_cursor = last ? cursors.issue(list, `${last.claimed_at}|${last.id}`) : null
  return { items: rows.map(present), next_cursor }
}

function placeOf(position: string | undefined) {
  const [claimed_at, id] = position?.split('|') ?? []
  return claimed_at && id ? { claimed_at, id } : undefined
}

function present(row: store.WorkingRow): WorkingCard {
  const { id, title, status, source, board_id, board, claim_id, claimed_at } = row
  return {
    id,
    ref: `${row.key}-${row.number}`,
    title,
    status,
    source,
    board_id,
    board,
    claim: {
      claim_id,
      epoch: row.claim_epoch,
      expires_at: row.claim_expires_at,
      holder: row.claim_holder,
    },
    claimed_at,
    run: presentRun(row),
    usage: { tokens: row.usage_tokens, cost_micros: row.usage_cost_micros },
  }
}

function presentRun(row: store.WorkingRow): WorkingCard['run'] {
  if (row.run_id === null) return null
  return {
    id: row.run_id,
    number: row.run_number,
    started_at: row.run_started_at,
    usage: { tokens: row.run_tokens, cost_micros: row.run_cost_micros },
    line: lineOf(row.run_summary),
  }
}
