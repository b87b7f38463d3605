import { createHash, randomUUIDv7 } from 'node:crypto'
import type { ProposalKind, ProposalReason } from '@crewhall/contracts/memory/proposal-fields.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { lockAutomation } from '../automation/automation.store.ts'
import type { Origin } from '../automation/origin.rules.ts'
import { type Draft, normalisedText } from '../memories/change.rules.ts'
import * as store from './proposals.store.ts'

export interface NewProposal {
  readonly agent_id: string
  readonly kind: ProposalKind
  readonly reason: ProposalReason
  /** The memory to change, or the older one of a conflict. */
  readonly memory_id?: string | undefined
  /** The newer one of a conflict, if it is stored already. */
  readonly other_memory_id?: string | undefined
  readonly content: Partial<Draft> & { readonly status?: 'active' | 'archived' }
  /** Of a change: the digest of the text that it was made for. */
  readonly base_hash?: Buffer | undefined
  readonly origin?: Origin | undefined
}
export type Filed =
  | { readonly id: string; readonly is_new: boolean }
  /** Nothing is dropped to make room: an inbox that nobody reads must not swallow what was asked first. */
  | { readonly refused: 'inbox_full' | 'rejected_before' }

/** Of one agent. */
const mostOpen = 200

/** Asks a person. The same question is asked once, and not again after a person has said no. */
export async function fileProposal(ctx: BrandTx, proposal: NewProposal): Promise<Filed> {
  const { agent_id, kind, reason, content } = proposal
  const { memory_id = null, other_memory_id = null, base_hash = null, origin } = proposal
  await lockAutomation(ctx, agent_id)
  const digest = digestOf(proposal)
  const asked = await store.findAsked(ctx, { agent_id, digest })
  if (asked?.state === 'open') return { id: asked.id, is_new: false }
  if (asked) return { refused: 'rejected_before' }
  if (!(await canAsk(ctx, agent_id))) return { refused: 'inbox_full' }
  const id = randomUUIDv7()
  await store.insertProposal(ctx, {
    id,
    agent_id,
    kind,
    reason,
    memory_id,
    other_memory_id,
    content: JSON.stringify(content),
    digest,
    base_hash,
    origin: origin === undefined ? null : JSON.stringify(origin),
    conversation_id: origin?.conversation_id ?? null,
    source_id: origin?.source_id ?? null,
  })
  return { id, is_new: true }
}

/** Whether there is room for one more question about this agent. */
export async function canAsk(ctx: BrandTx, agent_id: string): Promise<boolean> {
  return (await store.countOpenUpTo(ctx, agent_id, mostOpen)) < mostOpen
}

/** Of a new text what it says, whatever else goes with it. */
function digestOf({ kind, memory_id, other_memory_id, content }: NewProposal): Buffer {
  const { title = '', body = '' } = content
  const what = kind === 'change' ? content : normalisedText({ title, body })
  return createHash('sha256')
    .update(JSON.stringify([kind, memory_id, other_memory_id, what]))
    .digest()
}
