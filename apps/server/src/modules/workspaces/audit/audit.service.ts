import { type AuditEntry, expiredCursor, unknownCursor } from '@crewhall/contracts/workspaces/audit.ts'
import type { hasLostAudit, listAuditEntries } from '#platform/audit/audit-list.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { presentEntry } from './audit.present.ts'

export interface AuditDeps {
  readonly cursors: Cursors
  readonly listAuditEntries: typeof listAuditEntries
  readonly hasLostAudit: typeof hasLostAudit
}

interface AuditQuery {
  readonly since?: string | undefined
  readonly limit: number
  readonly actor?: number | undefined
  readonly action?: string | undefined
  readonly order: 'oldest_first' | 'newest_first'
}

const beginnings = { oldest_first: '-infinity|0', newest_first: 'infinity|0' }

export async function readAudit(
  ctx: BrandCtx,
  { cursors, listAuditEntries, hasLostAudit }: AuditDeps,
  { since, limit, actor, action, order }: AuditQuery,
): Promise<{ items: AuditEntry[]; next_cursor: string }> {
  const { brandId: brand_id } = ctx
  const newest_first = order === 'newest_first'
  // A place in one order says nothing in the other.
  const list = newest_first ? `audit-back:${brand_id}` : `audit:${brand_id}`
  const position = since === undefined ? beginnings[order] : cursors.read(list, since)
  const [after_at, after_id] = position?.split('|') ?? []
  if (since !== undefined && cursors.isPast(list, since)) throw expiredCursor()
  if (position === undefined || !after_at || !after_id) throw unknownCursor()
  const filters = { actor, action, newest_first }
  const rows = await listAuditEntries(ctx.db, { brand_id, after_at, after_id, limit, ...filters })
  // Backwards, the old ones are simply the end.
  if (since !== undefined && !newest_first && (await hasLostAudit(ctx.db, { brand_id, after_at })))
    throw expiredCursor()
  const last = rows.at(-1)
  const next_cursor = cursors.issue(list, last ? `${last.created_at}|${last.id}` : position)
  return { items: rows.map(presentEntry), next_cursor }
}
