import { type AuditEntry, unknownCursor } from '@crewhall/contracts/workspaces/audit.ts'
import type { listAuditEntries } from '#platform/audit/audit-list.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { presentEntry } from './audit.present.ts'

export interface AuditDeps {
  readonly cursors: Cursors
  readonly listAuditEntries: typeof listAuditEntries
}

interface Wanted {
  readonly since?: string | undefined
  readonly limit?: number | undefined
  readonly actor?: number | undefined
  readonly action?: string | undefined
}

const standardPage = 50
const beginning = '0'

export async function readAudit(
  ctx: BrandCtx,
  { cursors, listAuditEntries }: AuditDeps,
  { since, limit = standardPage, actor, action }: Wanted,
): Promise<{ items: AuditEntry[]; next_cursor: string }> {
  const list = `audit:${ctx.brandId}`
  const after = since === undefined ? beginning : cursors.read(list, since)
  if (after === undefined) throw unknownCursor()
  const rows = await listAuditEntries(ctx.db, { brand_id: ctx.brandId, after, limit, actor, action })
  const next_cursor = cursors.issue(list, rows.at(-1)?.id ?? after)
  return { items: rows.map(presentEntry), next_cursor }
}
