import {
  type Conversation,
  type ConversationEntry,
  type ConversationState,
  conversationStates,
} from '@crewhall/contracts/conversations/conversations.ts'
import * as refused from '@crewhall/contracts/conversations/refusals.ts'
import { findAgent } from '#modules/identity'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { findSource } from '../sources/sources.store.ts'
import { presentAttempt, presentEntry, presentMessage } from './conversations.present.ts'
import * as store from './ledger.store.ts'

interface ListQuery {
  readonly source_id?: string | undefined
  readonly agent_id?: string | undefined
  readonly state?: ConversationState | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}
/** After every id that there is. */
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export async function listConversationPage(ctx: BrandCtx, cursors: Cursors, query: ListQuery) {
  const { source_id, agent_id, state, limit, cursor } = query
  const list = `conversations:${ctx.brandId}`
  const before = cursor === undefined ? newest : cursors.read(list, cursor)
  if (before === undefined) throw refused.unknownCursor()
  const source = source_id === undefined ? undefined : await findSource(ctx, source_id)
  if (source_id !== undefined && !source) throw refused.sourceNotFound()
  if (agent_id !== undefined) await findAgent(ctx, agent_id)
  // A source belongs to one agent, and to no other.
  if (source && agent_id !== undefined && source.agent_id !== agent_id)
    return { conversations: [], next_cursor: null }
  const states = state === undefined ? conversationStates : [state]
  const rows = await store.listConversations(ctx, query, { states, before, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    conversations: page.map(presentEntry),
    next_cursor: last && rows.length > limit ? cursors.issue(list, last.id) : null,
  }
}

export const getConversation = (ctx: BrandCtx, id: string): Promise<Conversation> =>
  ctx.snapshot(async (ctx) => {
    const row = await store.findConversation(ctx, id)
    if (!row) throw refused.conversationNotFound()
    const attempts = await store.listAttempts(ctx, id)
    const candidates = await store.listCandidates(ctx, id, attempts.at(-1)?.number ?? 0)
    return { ...presentEntry(row), ledger: attempts.map((each) => presentAttempt(each, candidates)) }
  })

export async function listMessagePage(
  ctx: BrandCtx,
  id: string,
  { from, limit }: { readonly from: number; readonly limit: number },
) {
  if (!(await store.findConversation(ctx, id))) throw refused.conversationNotFound()
  const rows = await store.listMessages(ctx, id, from, limit + 1)
  return {
    messages: rows.slice(0, limit).map(presentMessage),
    next_seq: rows.length > limit ? (rows.at(-1)?.seq ?? null) : null,
  }
}

export const retryConversation = (ctx: BrandCtx, id: string): Promise<ConversationEntry> =>
  ctx.tx(async (ctx) => {
    const row = (await store.updateRetried(ctx, id)) ?? (await store.findConversation(ctx, id))
    if (!row) throw refused.conversationNotFound()
    return presentEntry(row)
  })
