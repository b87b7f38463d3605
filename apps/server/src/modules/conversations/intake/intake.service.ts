import { randomUUIDv7 } from 'node:crypto'
import {
  mostMessages,
  type ReceivedConversation,
  type SentConversation,
} from '@crewhall/contracts/conversations/conversations.ts'
import * as refused from '@crewhall/contracts/conversations/refusals.ts'
import type { SourceType } from '@crewhall/contracts/conversations/sources.ts'
import type { OwnTexts } from '@crewhall/contracts/memory/own-texts.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { presentEntry } from '../ledger/conversations.present.ts'
import { findSource, holdSource, type SourceRow } from '../sources/sources.store.ts'
import { readClaudeCode } from '../transcripts/claude-code.rules.ts'
import { readOpenclaw } from '../transcripts/openclaw.rules.ts'
import type { Message, Transcript } from '../transcripts/transcript.rules.ts'
import { sortedById, sortedByNumber, summed } from './intake.rules.ts'
import * as store from './intake.store.ts'
import { type Kept, keptOf, namedOf, type Portion, storable } from './portion.ts'

export type FindOwnTexts = (ctx: BrandCtx, agent_id: string) => Promise<OwnTexts>

export interface Prepared {
  readonly source: SourceRow
  readonly portion: Portion
  readonly skipped: Readonly<Record<string, number>>
  readonly is_cut: boolean
}

/** Reading and filtering a megabyte takes its time, so it comes before the transaction. */
export async function prepareConversation(
  ctx: BrandCtx,
  findOwnTexts: FindOwnTexts,
  source_id: string,
  sent: SentConversation,
): Promise<Prepared> {
  const source = await findSource(ctx, source_id)
  if (!source) throw refused.sourceNotFound()
  if (source.source_type === 'agentboard') throw refused.sourceFetches()
  const own = await findOwnTexts(ctx, source.agent_id)
  if (sent.format === 'messages') {
    const messages = await keptOf(sent.messages.map(messageOf), own)
    const part = { by: 'number', first_seq: sent.first_seq, messages } as const
    return { source, portion: { external_id: sent.conversation_id, part }, skipped: {}, is_cut: false }
  }
  const { messages, external_id, skipped, is_cut } = transcriptOf(source.source_type, sent.native)
  const name = sent.conversation_id ?? nameOf(external_id)
  if (messages.length === 0 && Object.keys(skipped).every((reason) => reason === 'broken_line'))
    throw refused.nativeUnreadable()
  if (name === undefined) throw refused.nativeUnnamed()
  const part = { by: 'id', messages: await namedOf(messages, own) } as const
  return { source, portion: { external_id: name, part }, skipped, is_cut }
}

export const receiveConversation = (ctx: BrandCtx, prepared: Prepared): Promise<ReceivedConversation> =>
  ctx.tx(async (ctx) => {
    const { row, stored, unchanged } = await storePortion(ctx, prepared.source.id, prepared.portion)
    return {
      ...presentEntry(row),
      stored,
      unchanged,
      next_seq: row.message_count,
      skipped: { ...prepared.skipped },
      is_cut: prepared.is_cut,
    }
  })

interface Stored {
  readonly row: store.ConversationRow
  readonly stored: number
  readonly unchanged: number
}

interface Manner {
  /**
   * Nobody is there to be refused: a message that has changed since stays as it is stored, and what a full conversation
   * has no room for is left out. The conversation counts both.
   */
  readonly isLenient: boolean
  /** What was left out of it before. */
  readonly left?: Readonly<Record<string, number>>
}

/** What is known already is left as it is, and a conversation only grows. */
export async function storePortion(
  ctx: BrandTx,
  source_id: string,
  portion: Portion,
  { isLenient, left: before = {} }: Manner = { isLenient: false },
): Promise<Stored> {
  const source = await holdSource(ctx, source_id)
  if (!source) throw refused.sourceNotFound()
  const { external_id, part } = portion
  const { agent_id } = source
  const opened = await store.lockConversation(ctx, { id: randomUUIDv7(), source_id, agent_id, external_id })
  if (!opened) throw refused.sourceNotFound()
  const { id, message_count } = opened
  const { fresh, unchanged, differing } =
    part.by === 'id'
      ? sortedById(part.messages, await store.listDigestsById(ctx, id, part.messages.map(idOf)))
      : sortedByNumber(part.messages, await digestsIn(ctx, opened, part))
  const [first] = differing
  if (first !== undefined && !isLenient) throw refused.messageDiffers(first)
  const room = mostMessages - message_count
  if (fresh.length > room && !isLenient) throw refused.conversationFull(mostMessages)
  const added = fresh.slice(0, room)
  const left = counted({ ...before, changed: differing.length, full: fresh.length - added.length })
  if (added.length === 0 && Object.keys(left).length === 0) return { row: opened, stored: 0, unchanged }
  if (added.length > 0) await store.insertMessages(ctx, id, columnsOf(added, message_count))
  const row = await store.growConversation(ctx, {
    id,
    count: added.length,
    has_text: added.some(({ text }) => text !== null),
    dropped: JSON.stringify(summed([...added.map(({ dropped }) => dropped), left])),
    redacted: added.reduce((sum, { redacted }) => sum + redacted, 0),
  })
  if (!row) throw refused.conversationNotFound()
  return { row, stored: added.length, unchanged }
}

const counted = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

async function digestsIn(
  ctx: BrandTx,
  { id, message_count }: store.ConversationRow,
  { first_seq, messages }: { readonly first_seq: number; readonly messages: readonly Kept[] },
): Promise<readonly store.Digest[]> {
  if (first_seq > message_count) throw refused.rangeLeavesGap(message_count)
  return store.listDigests(ctx, id, first_seq, first_seq + messages.length)
}

const idOf = ({ id }: { readonly id: string }): string => id

const columnsOf = (fresh: readonly Kept[], first: number): store.NewMessages => ({
  seqs: fresh.map((_, at) => first + at),
  native_ids: fresh.map(({ id }) => id),
  roles: fresh.map(({ role }) => role),
  texts: fresh.map(({ text }) => text),
  digests: fresh.map(({ digest }) => digest),
  sent_ats: fresh.map(({ sent_at }) => sent_at),
})

type SentMessage = Extract<SentConversation, { format: 'messages' }>['messages'][number]
const messageOf = ({ message_id, role, text, sent_at }: SentMessage): Message => ({
  id: message_id ?? null,
  role,
  text,
  sent_at: sent_at ?? null,
})

export const transcriptOf = (type: Exclude<SourceType, 'agentboard'>, native: string): Transcript =>
  type === 'openclaw' ? readOpenclaw(native) : readClaudeCode(native)

const longestName = 500
export function nameOf(external_id: string | null): string | undefined {
  const name = external_id === null ? '' : storable(external_id).trim()
  return name.length > 0 && name.length <= longestName ? name : undefined
}
