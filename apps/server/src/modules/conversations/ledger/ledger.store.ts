import {
  type AttemptOutcome,
  type Candidate,
  type ConversationState,
  type StoredMessage,
  shownAttempts,
  shownCandidates,
} from '@crewhall/contracts/conversations/conversations.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, type Named, type Sql, sql } from '#platform/db/statement.ts'
import { type ConversationRow, columns } from '../intake/intake.store.ts'

export interface AttemptRow {
  readonly number: number
  readonly started_at: string
  readonly ended_at: string | null
  readonly outcome: AttemptOutcome | null
  readonly first_seq: number
  readonly end_seq: number | null
  readonly calls: number
  readonly tokens_in: number
  readonly tokens_out: number
  readonly model: string | null
  readonly produced: number
  readonly rejected: number
  readonly error: string | null
}
export type CandidateRow = Readonly<Candidate> & { readonly attempt: number }
export type MessageRow = Readonly<StoredMessage>

type Id = { readonly id: string }
// What a deleted source has left is out of sight, and goes with the next sweep.
const isThere = `exists (select from conversations.sources s where s.brand_id = c.brand_id and s.id = c.source_id
     and s.deleted_at is null)`
const find = brandStatement<Id, ConversationRow>(
  (p) => sql`select ${columns} from conversations.conversations c
   where brand_id = ${p.brand_id} and id = ${p.id} and ${isThere}`,
)

interface Page {
  readonly states: readonly ConversationState[]
  readonly before: string
  readonly limit: number
}
// State by state, each from its index: a list of the few that have failed does not read those that are done.
const listWhere = (p: Named<Page & { brand_id: number }>, whose: Sql) =>
  sql`select ${columns} from unnest(${p.states}::text[]) as wanted (wanted_state) cross join lateral (
     select * from conversations.conversations c
     where c.brand_id = ${p.brand_id} and c.state = wanted_state and c.id < ${p.before}::uuid ${whose}
       and ${isThere}
     order by c.id desc limit ${p.limit}) as c
   order by id desc limit ${p.limit}`
const list = brandStatement<Page, ConversationRow>((p) => listWhere(p, sql``))
const listOfAgent = brandStatement<Page & { agent_id: string }, ConversationRow>((p) =>
  listWhere(p, sql`and c.agent_id = ${p.agent_id}`),
)
const listOfSource = brandStatement<Page & { source_id: string }, ConversationRow>((p) =>
  listWhere(p, sql`and c.source_id = ${p.source_id}`),
)

const attempts = brandStatement<Id, AttemptRow>(
  (
    p,
  ) => sql`select number, started_at, ended_at, outcome, first_seq, end_seq, calls, tokens_in::float8 as tokens_in,
     tokens_out::float8 as tokens_out, model, produced, rejected, error
   from conversations.attempts where brand_id = ${p.brand_id} and conversation_id = ${p.id}
   order by number desc limit ${String(shownAttempts)}`,
)
const candidates = brandStatement<Id & { from: number }, CandidateRow>(
  (p) => sql`select attempt, decision, reason, memory_id, other_memory_id from conversations.candidates
   where brand_id = ${p.brand_id} and conversation_id = ${p.id} and attempt >= ${p.from}
     and n <= ${String(shownCandidates)}
   order by attempt, n`,
)
const messages = brandStatement<Id & { from: number; limit: number }, MessageRow>(
  (p) => sql`select seq, role, text, sent_at from conversations.messages
   where brand_id = ${p.brand_id} and conversation_id = ${p.id} and seq >= ${p.from}
   order by seq limit ${p.limit}`,
)
const retry = brandStatement<Id, ConversationRow>(
  (
    p,
  ) => sql`update conversations.conversations c set state = 'waiting', next_try_at = platform.now(), attempts = 0,
     losses = 0, reason = null, updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id} and state in ('waiting', 'failed', 'held') and ${isThere}
   returning ${columns}`,
)

export const findConversation = (ctx: BrandCtx, id: string) => ctx.db.first(find, { id })
export const listConversations = (
  ctx: BrandCtx,
  { source_id, agent_id }: { source_id?: string | undefined; agent_id?: string | undefined },
  page: Page,
) => {
  if (source_id !== undefined) return ctx.db.all(listOfSource, { ...page, source_id })
  if (agent_id !== undefined) return ctx.db.all(listOfAgent, { ...page, agent_id })
  return ctx.db.all(list, page)
}
/** The last ones, newest first. */
export const listAttempts = (ctx: BrandCtx, id: string) => ctx.db.all(attempts, { id })
export const listCandidates = (ctx: BrandCtx, id: string, from: number) =>
  ctx.db.all(candidates, { id, from })
export const listMessages = (ctx: BrandCtx, id: string, from: number, limit: number) =>
  ctx.db.all(messages, { id, from, limit })
/** Nothing if there is nothing to try again. */
export const updateRetried = (ctx: BrandTx, id: string) => ctx.db.first(retry, { id })
