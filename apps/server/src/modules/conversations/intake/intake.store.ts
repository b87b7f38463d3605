import type { ConversationState } from '@crewhall/contracts/conversations/conversations.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface ConversationRow {
  readonly id: string
  readonly source_id: string
  readonly agent_id: string
  readonly external_id: string
  readonly state: ConversationState
  readonly reason: string | null
  readonly attempts: number
  readonly next_try_at: string | null
  readonly message_count: number
  readonly read_through: number
  readonly dropped: Readonly<Record<string, number>>
  readonly redacted: number
  readonly created_at: string
  readonly updated_at: string
}
/** For all that returns a conversation. */
export const columns = `id, source_id, agent_id, external_id, state, reason, attempts, next_try_at, message_count,
     read_through, dropped, redacted, created_at, updated_at`

interface New {
  readonly id: string
  readonly source_id: string
  readonly agent_id: string
  readonly external_id: string
}
const open = brandStatement<New, unknown>(
  (p) => sql`insert into conversations.conversations (brand_id, id, source_id, agent_id, external_id, state)
   values (${p.brand_id}, ${p.id}, ${p.source_id}, ${p.agent_id}, ${p.external_id}, 'done')
   on conflict (brand_id, source_id, external_id) do nothing`,
)
const lock = brandStatement<{ source_id: string; external_id: string }, ConversationRow>(
  (p) => sql`select ${columns} from conversations.conversations
   where brand_id = ${p.brand_id} and source_id = ${p.source_id} and external_id = ${p.external_id}
   for no key update`,
)

export interface Digest {
  readonly seq: number
  readonly digest: Buffer
}
const inRange = brandStatement<{ id: string; first: number; end: number }, Digest>(
  (p) => sql`select seq, digest from conversations.messages
   where brand_id = ${p.brand_id} and conversation_id = ${p.id} and seq >= ${p.first} and seq < ${p.end}
   order by seq`,
)
const withIds = brandStatement<{ id: string; ids: readonly string[] }, Digest & { native_id: string }>(
  (p) => sql`select seq, digest, native_id from conversations.messages
   where brand_id = ${p.brand_id} and conversation_id = ${p.id} and native_id = any(${p.ids}::text[])`,
)

export interface NewMessages {
  readonly seqs: readonly number[]
  readonly native_ids: readonly (string | null)[]
  readonly roles: readonly string[]
  readonly texts: readonly (string | null)[]
  readonly digests: readonly Buffer[]
  readonly sent_ats: readonly (string | null)[]
}
const add = brandStatement<NewMessages & { id: string }, unknown>(
  (
    p,
  ) => sql`insert into conversations.messages (brand_id, conversation_id, seq, native_id, role, text, digest, sent_at)
   select ${p.brand_id}, ${p.id}, m.* from unnest(${p.seqs}::int[], ${p.native_ids}::text[], ${p.roles}::text[],
     ${p.texts}::text[], ${p.digests}::bytea[], ${p.sent_ats}::timestamptz[]) as m`,
)

export interface Growth {
  readonly id: string
  readonly count: number
  /** Whether any of the new messages has a text. */
  readonly has_text: boolean
  readonly dropped: string
  readonly redacted: number
}
// A conversation that had failed has new material, and five attempts for it. One that waits keeps its time, and one of
// which nothing is left to read is done.
const grow = brandStatement<Growth, ConversationRow>(
  (p) => sql`update conversations.conversations c set message_count = message_count + ${p.count},
     read_through = case when ${p.has_text} or state <> 'done' then read_through
       else message_count + ${p.count} end,
     state = case when ${p.has_text} and state in ('done', 'failed') then 'waiting' else state end,
     next_try_at = case when ${p.has_text} and state in ('done', 'failed') then platform.now() else next_try_at end,
     attempts = case when ${p.has_text} and state = 'failed' then 0 else attempts end,
     losses = case when ${p.has_text} and state = 'failed' then 0 else losses end,
     reason = case when ${p.has_text} and state = 'failed' then null else reason end,
     dropped = (select coalesce(jsonb_object_agg(key, n), '{}') from (
       select key, sum(value::int) as n
       from (select * from jsonb_each_text(c.dropped) union all select * from jsonb_each_text(${p.dropped}::jsonb)) as d
       group by key) as summed),
     redacted = redacted + ${p.redacted}, has_texts = has_texts or ${p.has_text}, updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} returning ${columns}`,
)

/** Two that open the same one at once get the same row. */
export async function lockConversation(ctx: BrandTx, row: New): Promise<ConversationRow | undefined> {
  await ctx.db.run(open, row)
  return ctx.db.first(lock, row)
}
export const listDigests = (ctx: BrandCtx, id: string, first: number, end: number) =>
  ctx.db.all(inRange, { id, first, end })
export const listDigestsById = (ctx: BrandCtx, id: string, ids: readonly string[]) =>
  ctx.db.all(withIds, { id, ids })
export const insertMessages = (ctx: BrandTx, id: string, messages: NewMessages) =>
  ctx.db.run(add, { id, ...messages })
export const growConversation = (ctx: BrandTx, growth: Growth) => ctx.db.first(grow, growth)
