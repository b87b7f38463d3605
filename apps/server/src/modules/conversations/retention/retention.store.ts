import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

/** Conversations that one batch looks at. */
const batch = 20

// Rows and digests stay: what is sent again is still recognised, and is not read a second time.
const old = `select brand_id, id from conversations.conversations
     where has_texts and state in ('done', 'failed') and updated_at < platform.now() - make_interval(days => `
const clear = statement<{ days: number; limit: number }, unknown>(
  (p) => sql`with old as materialized (${old}${p.days}::int) order by updated_at limit ${String(batch)}),
   bitten as materialized (
     select m.brand_id, m.conversation_id, m.seq from old o join conversations.messages m
       on m.brand_id = o.brand_id and m.conversation_id = o.id
     where m.text is not null limit ${p.limit})
   update conversations.messages m set text = null from bitten b
   where m.brand_id = b.brand_id and m.conversation_id = b.conversation_id and m.seq = b.seq`,
)
const mark = statement<{ days: number }, unknown>(
  (p) => sql`with old as materialized (${old}${p.days}::int) order by updated_at limit ${String(batch)})
   update conversations.conversations c set has_texts = false from old o
   where c.brand_id = o.brand_id and c.id = o.id and not exists (
     select from conversations.messages m where m.brand_id = c.brand_id and m.conversation_id = c.id
       and m.text is not null)`,
)

const gone = `select brand_id, id from conversations.sources where deleted_at is not null order by deleted_at
     limit ${batch}`
const deleteMessages = statement<{ limit: number }, unknown>(
  (p) => sql`with gone as materialized (${gone}),
   bitten as materialized (
     select m.brand_id, m.conversation_id, m.seq from gone g
     join conversations.conversations c on c.brand_id = g.brand_id and c.source_id = g.id
     join conversations.messages m on m.brand_id = c.brand_id and m.conversation_id = c.id
     limit ${p.limit})
   delete from conversations.messages m using bitten b
   where m.brand_id = b.brand_id and m.conversation_id = b.conversation_id and m.seq = b.seq`,
)
// Attempts and candidates go with them; there are few.
const deleteConversations = statement<{ limit: number }, unknown>(
  (p) => sql`with gone as materialized (${gone}),
   bitten as materialized (
     select c.brand_id, c.id from gone g
     join conversations.conversations c on c.brand_id = g.brand_id and c.source_id = g.id
     limit ${p.limit})
   delete from conversations.conversations c using bitten b where c.brand_id = b.brand_id and c.id = b.id`,
)
const deleteSources = statement<object, unknown>(
  () => sql`with gone as materialized (${gone})
   delete from conversations.sources s using gone g where s.brand_id = g.brand_id and s.id = g.id
     and not exists (select from conversations.conversations c where c.brand_id = s.brand_id and c.source_id = s.id)`,
)

export const clearTexts = (ctx: SystemCtx, days: number, limit: number) =>
  ctx.overBrands().db.run(clear, { days, limit })
/** How many were done with. */
export const markCleared = (ctx: SystemCtx, days: number) => ctx.overBrands().db.run(mark, { days })
export const deleteMessagesOfGone = (ctx: SystemCtx, limit: number) =>
  ctx.overBrands().db.run(deleteMessages, { limit })
export const deleteConversationsOfGone = (ctx: SystemCtx, limit: number) =>
  ctx.overBrands().db.run(deleteConversations, { limit })
export const deleteGoneSources = (ctx: SystemCtx) => ctx.overBrands().db.run(deleteSources, {})
