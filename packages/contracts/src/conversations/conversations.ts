import { z } from 'zod'
import { AgentId } from '../identity/agents.ts'
import { agentNotOwned, scopeMissing } from '../identity/refusals.ts'
import { memoryRead, memoryWrite } from '../memory/fields.ts'
import { route } from '../route.ts'
import { Moment, pageLimit, queryInteger, Timestamp, text, Uuid } from '../wire.ts'
import * as refused from './refusals.ts'
import { oneSource } from './sources.ts'

export const roles = ['person', 'agent', 'tool', 'system'] as const
export const conversationStates = ['waiting', 'reading', 'done', 'failed', 'held'] as const
export type ConversationState = (typeof conversationStates)[number]
export const attemptOutcomes = ['finished', 'failed', 'held', 'lost'] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]
export const decisions = ['new', 'same', 'supersedes', 'conflicts', 'rejected'] as const
export type Decision = (typeof decisions)[number]

export const mostMessages = 20_000
const mostAtOnce = 2000
const longestSent = 1_000_000
/** What the filter leaves of a message. */
const longestKept = 8000
export const shownAttempts = 20
export const shownCandidates = 50

const Counts = z.record(z.string().max(50), z.int())

const SentMessage = z.object({
  /** Its id where it comes from. */
  message_id: text(1, 200).optional(),
  role: z.enum(roles),
  text: z.string().max(longestSent),
  sent_at: Moment.optional(),
})

/** A range of messages, or lines of a session file as the tool writes them. */
export const SentConversation = z.discriminatedUnion('format', [
  z.object({
    format: z.literal('messages'),
    conversation_id: text(1, 500),
    /** The number of the first message; the first one of a conversation is number 0. */
    first_seq: z.int().min(0).max(mostMessages).default(0),
    messages: z.array(SentMessage).min(1).max(mostAtOnce),
  }),
  z.object({
    format: z.literal('native'),
    /** By default, what the file calls itself. */
    conversation_id: text(1, 500).optional(),
    native: z.string().min(1).max(longestSent),
  }),
])
export type SentConversation = z.infer<typeof SentConversation>

const entryFields = {
  id: Uuid,
  source_id: Uuid,
  agent_id: z.string(),
  /** Its name in the source. */
  conversation_id: z.string().meta({ maxLength: 500 }),
  /**
   * `waiting` to be read, `reading`, `done`, `failed` after five attempts, or `held` until `next_try_at` because the
   * limit of the day is reached.
   */
  state: z.enum(conversationStates),
  /** Why it is held or has failed. */
  reason: z.string().meta({ maxLength: 500 }).nullable(),
  /** Failed attempts in a row. */
  attempts: z.int(),
  next_try_at: Timestamp.nullable(),
  message_count: z.int(),
  /** How many of the messages have been read. */
  read_through: z.int(),
  /** What the filter has left out, by reason. */
  dropped: Counts,
  /** How many secrets were taken out. */
  redacted: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
}
export const ConversationEntry = z.object(entryFields).meta({ id: 'ConversationEntry' })
export type ConversationEntry = z.infer<typeof ConversationEntry>

export const ReceivedConversation = ConversationEntry.extend({
  /** How many messages of this call were new. */
  stored: z.int(),
  unchanged: z.int(),
  /** `first_seq` of the next range. */
  next_seq: z.int(),
  /** Lines of the file that are no messages, by reason. */
  skipped: Counts,
  /** Whether the last line was cut off; send it again when it is whole. */
  is_cut: z.boolean(),
}).meta({ id: 'ReceivedConversation' })
export type ReceivedConversation = z.infer<typeof ReceivedConversation>

/** What became of a memory that the model has proposed. */
export const Candidate = z
  .object({
    decision: z.enum(decisions),
    reason: z.string().meta({ maxLength: 200 }).nullable(),
    memory_id: Uuid.nullable(),
    other_memory_id: Uuid.nullable(),
  })
  .meta({ id: 'ConversationCandidate' })
export type Candidate = z.infer<typeof Candidate>

/** An entry of the ledger. */
export const Attempt = z
  .object({
    number: z.int(),
    started_at: Timestamp,
    ended_at: Timestamp.nullable(),
    /** Null while it is under way; `lost` if it ended with its process. */
    outcome: z.enum(attemptOutcomes).nullable(),
    /** Which messages it read: from the first up to, but without, the end. */
    first_seq: z.int(),
    end_seq: z.int().nullable(),
    calls: z.int(),
    tokens_in: z.int(),
    tokens_out: z.int(),
    model: z.string().meta({ maxLength: 100 }).nullable(),
    produced: z.int(),
    rejected: z.int(),
    error: z.string().meta({ maxLength: 500 }).nullable(),
    candidates: z.array(Candidate).max(shownCandidates),
  })
  .meta({ id: 'ConversationAttempt' })
export type Attempt = z.infer<typeof Attempt>

/** With the last attempts, newest first. */
export const Conversation = ConversationEntry.extend({
  ledger: z.array(Attempt).max(shownAttempts),
}).meta({ id: 'Conversation' })
export type Conversation = z.infer<typeof Conversation>

export const StoredMessage = z
  .object({
    seq: z.int(),
    role: z.enum(roles),
    /** As the filter has left it; null if it was left out or has expired. */
    text: z.string().meta({ maxLength: longestKept }).nullable(),
    sent_at: Timestamp.nullable(),
  })
  .meta({ id: 'ConversationMessage' })
export type StoredMessage = z.infer<typeof StoredMessage>

export const oneConversation = {
  path: '/api/v1/memory/conversations/{conversation_id}',
  params: z.object({ conversation_id: Uuid }),
  resources: { conversation_id: 'conversation' },
  missing: refused.conversationIdMalformed,
} as const

export const sendConversation = route({
  ...memoryWrite,
  ...oneSource,
  id: 'conversations.sendConversation',
  method: 'POST',
  path: '/api/v1/memory/sources/{source_id}/conversations',
  summary: 'Send a conversation, or more of it',
  description:
    'Sent again, messages are recognised and not stored twice; `stored` says how many were new. A body ends at 1 MiB, so send a long conversation in several calls: with `messages`, each call is a range that begins at `first_seq`; with `native`, each call is some lines of the session file, or all of it again. Secrets, tool output, prompts of the system and texts that come from memory itself are removed before anything is stored.',
  example: {
    body: {
      format: 'messages',
      conversation_id: 'session-41',
      messages: [
        { role: 'person', text: 'We never release on Fridays.' },
        { role: 'agent', text: 'Noted: no releases on Fridays.' },
      ],
    },
  },
  body: SentConversation,
  responses: { 201: ReceivedConversation },
  refusals: [
    scopeMissing,
    refused.sourceNotFound,
    refused.sourceFetches,
    refused.messageDiffers,
    refused.rangeLeavesGap,
    refused.conversationFull,
    refused.nativeUnnamed,
    refused.nativeUnreadable,
  ],
})

export const listConversations = route({
  ...memoryRead,
  id: 'conversations.listConversations',
  method: 'GET',
  path: '/api/v1/memory/conversations',
  summary: 'List conversations, newest first',
  description:
    'Of all sources, of one, or of an agent; `state` narrows the list. Pass `next_cursor` as `cursor` to read on; it is null on the last page.',
  example: { query: { state: 'failed' } },
  query: z.object({
    source_id: Uuid.optional(),
    agent_id: AgentId.optional(),
    state: z.enum(conversationStates).optional(),
    limit: pageLimit(),
    cursor: z.string().max(500).optional(),
  }),
  resources: { 'query.source_id': 'conversation_source', 'query.agent_id': 'agent' },
  responses: {
    200: z.object({ conversations: z.array(ConversationEntry), next_cursor: z.string().nullable() }),
  },
  refusals: [scopeMissing, refused.sourceNotFound, agentNotOwned, refused.unknownCursor],
})

export const getConversation = route({
  ...memoryRead,
  ...oneConversation,
  id: 'conversations.getConversation',
  method: 'GET',
  summary: 'Get a conversation with its ledger',
  description: `The ledger has the last ${shownAttempts} attempts to read it: what was read, what that cost, what became of each proposed memory, and why.`,
  responses: { 200: Conversation },
  refusals: [scopeMissing, refused.conversationNotFound],
})

export const listMessages = route({
  ...memoryRead,
  ...oneConversation,
  id: 'conversations.listMessages',
  method: 'GET',
  path: '/api/v1/memory/conversations/{conversation_id}/messages',
  summary: 'List the messages of a conversation as they are stored',
  description: 'In their order. Pass `next_seq` as `from` to read on; it is null on the last page.',
  example: { query: { limit: '20' } },
  query: z.object({
    from: queryInteger(0, mostMessages)
      .default(0)
      .meta({ override: { type: 'integer', minimum: 0, maximum: mostMessages, default: 0 } }),
    limit: pageLimit(50, 20),
  }),
  responses: { 200: z.object({ messages: z.array(StoredMessage).max(50), next_seq: z.int().nullable() }) },
  refusals: [scopeMissing, refused.conversationNotFound],
})

export const retryConversation = route({
  ...memoryWrite,
  ...oneConversation,
  id: 'conversations.retryConversation',
  method: 'POST',
  path: '/api/v1/memory/conversations/{conversation_id}/retry',
  summary: 'Read a conversation at the next pick-up',
  description:
    'For one that has failed or waits: it has five attempts again. Nothing changes if all of it was read, or while it is read.',
  responses: { 200: ConversationEntry },
  refusals: [scopeMissing, refused.conversationNotFound],
})
