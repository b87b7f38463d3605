import type { Kept, MemoryProposal } from '@crewhall/contracts/memory/proposal-fields.ts'
import {
  memoryChanged,
  memoryGone,
  onlyPeopleDecide,
  proposalDecided,
  proposalNotFound,
} from '@crewhall/contracts/memory/refusals.ts'
import { holdAgent } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { insertProvenance } from '../automation/provenance.store.ts'
import { changedContent, type Draft, draftContent } from '../memories/change.rules.ts'
import { hashOf, writeChange, writeNew } from '../memories/memories.service.ts'
import { lockMemory, type MemoryRow } from '../memories/memories.store.ts'
import { isPersonActing, memoryActorOf } from '../memories/memory-actor.ts'
import { insertRejected } from '../memories/tombstones.store.ts'
import { faultOf, isRepeated, type Verdict } from './decision.rules.ts'
import { presentProposal } from './proposals.present.ts'
import * as store from './proposals.store.ts'

export const approveProposal = (ctx: BrandCtx, id: string, { keep }: { keep?: Kept | undefined }) =>
  decide(ctx, id, { state: 'approved', keep })
export const rejectProposal = (ctx: BrandCtx, id: string) =>
  decide(ctx, id, { state: 'rejected', keep: undefined })

const decide = (ctx: BrandCtx, id: string, verdict: Verdict): Promise<MemoryProposal> =>
  ctx.tx(async (ctx) => {
    if (!isPersonActing(ctx.actor)) throw onlyPeopleDecide()
    const found = await store.findProposal(ctx, id)
    if (!found) throw proposalNotFound()
    const fault = faultOf(found, verdict)
    if (fault) throw fault
    // In the order of everybody who writes: the agent, its memories, then the proposal.
    if (verdict.state === 'approved' && creates(found, verdict)) await holdAgent(ctx, found.agent_id)
    const memories = await lockBoth(ctx, found)
    const proposal = await store.lockProposal(ctx, id)
    if (!proposal) throw proposalNotFound()
    if (proposal.state !== 'open') {
      if (!isRepeated(proposal, verdict)) throw proposalDecided()
      return presentProposal(proposal)
    }
    const made_memory_id = await carryOut(ctx, proposal, memories, verdict)
    const kept = verdict.keep ?? null
    const actor = JSON.stringify(memoryActorOf(ctx.actor))
    const decided = await store.updateDecided(ctx, { id, state: verdict.state, kept, made_memory_id, actor })
    if (!decided) throw proposalNotFound()
    return presentProposal(decided)
  })

interface Memories {
  readonly old: MemoryRow | undefined
  readonly other: MemoryRow | undefined
}
/** By id, as all who lock several. */
async function lockBoth(ctx: BrandTx, { memory_id, other_memory_id }: store.ProposalRow): Promise<Memories> {
  const rows = new Map<string, MemoryRow | undefined>()
  for (const id of [memory_id, other_memory_id].filter((id) => id !== null).sort())
    rows.set(id, await lockMemory(ctx, id))
  return { old: rows.get(memory_id ?? ''), other: rows.get(other_memory_id ?? '') }
}

const creates = ({ kind, other_memory_id }: store.ProposalRow, { keep }: Verdict): boolean =>
  kind === 'new' || (kind === 'conflict' && other_memory_id === null && keep !== 'old')

/** Returns the memory that was created, if one was. */
async function carryOut(
  ctx: BrandTx,
  proposal: store.ProposalRow,
  memories: Memories,
  verdict: Verdict,
): Promise<string | null> {
  if (verdict.state === 'rejected' || verdict.keep === 'old') await discard(ctx, proposal)
  if (verdict.state === 'rejected') return null
  if (proposal.kind === 'change') await change(ctx, proposal, memories.old)
  const made = creates(proposal, verdict) ? await create(ctx, proposal) : undefined
  if (verdict.keep !== 'old' && memories.other) await vouch(ctx, memories.other)
  const newer = made?.id ?? proposal.other_memory_id
  if (verdict.keep === 'new' && newer !== null) await archive(ctx, memories.old, newer)
  if (verdict.keep === 'old' && proposal.memory_id !== null)
    await archive(ctx, memories.other, proposal.memory_id)
  return made?.id ?? null
}

const reason = 'Decided on a proposal'

/** What a person has said no to does not come back in the same words. */
async function discard(
  ctx: BrandTx,
  { id, kind, agent_id, other_memory_id, content }: store.ProposalRow,
): Promise<void> {
  if (kind === 'change' || other_memory_id !== null) return
  const { title = '', body = '' } = content
  await insertRejected(ctx, {
    id,
    agent_id,
    text_hash: hashOf({ title, body }),
    actor: memoryActorOf(ctx.actor),
  })
}

async function change(
  ctx: BrandTx,
  proposal: store.ProposalRow,
  before: MemoryRow | undefined,
): Promise<void> {
  if (!before) throw memoryGone()
  if (proposal.base_hash && !proposal.base_hash.equals(hashOf(before))) throw memoryChanged()
  const { kind: _, description, tags, ...fields } = proposal.content
  const sent = { ...fields, description: description ?? undefined, tags: tags && [...tags] }
  const content = changedContent(before, sent, { now: ctx.now(), isPerson: true })
  if (content) await writeChange(ctx, before, content, 'updated', { reason })
}

async function create(
  ctx: BrandTx,
  { agent_id, kind, content, origin, memory_id }: store.ProposalRow,
): Promise<MemoryRow> {
  // Whoever filed it has given all of a draft.
  const row = await writeNew(
    ctx,
    agent_id,
    { ...draftContent(content as Draft), is_locked: true },
    { reason },
  )
  const decision = kind === 'conflict' ? 'conflicts' : 'new'
  if (origin) await insertProvenance(ctx, { ...origin, id: row.id, decision, other_memory_id: memory_id })
  return row
}

/** What a person has chosen is theirs: neither extraction nor a rollback takes it away. */
async function vouch(ctx: BrandTx, before: MemoryRow): Promise<void> {
  if (before.is_locked) return
  await writeChange(ctx, before, { ...before, is_locked: true }, 'updated', { reason })
}

async function archive(ctx: BrandTx, before: MemoryRow | undefined, superseded_by: string): Promise<void> {
  if (before?.status !== 'active') return
  const content = { ...before, status: 'archived', superseded_by, is_locked: true } as const
  await writeChange(ctx, before, content, 'updated', { reason })
}
