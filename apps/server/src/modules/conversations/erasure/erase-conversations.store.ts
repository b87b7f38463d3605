import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { deletingRows } from '#platform/db/brand-rows.ts'

const rows = [
  deletingRows('conversations.candidates', 'conversation_id', 'attempt', 'n'),
  deletingRows('conversations.attempts', 'conversation_id', 'number'),
  deletingRows('conversations.messages', 'conversation_id', 'seq'),
  deletingRows('conversations.conversations', 'id'),
  deletingRows('conversations.spend', 'day', 'source_id'),
  deletingRows('conversations.sources', 'id'),
]

/** In dependency order; each deletes at most `limit` rows. */
export const deletingAll = rows.map((each) => (ctx: BrandCtx, limit: number) => ctx.db.run(each, { limit }))
