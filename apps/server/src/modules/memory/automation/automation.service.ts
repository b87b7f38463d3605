import type { ProposalReason } from '@crewhall/contracts/memory/proposal-fields.ts'
import { holdAgent } from '#modules/identity'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import type { EmbeddingModel } from '#platform/db/embedding-queue.ts'
import { embeddedText } from '../embeddings/embedding.rules.ts'
import { embeddedHash } from '../embeddings/embedding.service.ts'
import { insertVector } from '../embeddings/embeddings.store.ts'
import { type Draft, draftContent } from '../memories/change.rules.ts'
import { hashOf, writeChange, writeNew } from '../memories/memories.service.ts'
import { findMemory, lockMemory, type MemoryRow } from '../memories/memories.store.ts'
import { canAsk, type Filed, fileProposal } from '../review/proposals.service.ts'
import * as store from './automation.store.ts'
import { hasSameSubject, isNear, isSame } from './likeness.rules.ts'
import { observedContent } from './observation.rules.ts'
import { boundedOrigin, type Origin, originActor } from './origin.rules.ts'
import { type Decision, insertProvenance } from './provenance.store.ts'

/** Why automation has written nothing. */
export type RejectReason =
  /** A person has deleted, corrected or rejected this very text. */
  | 'tombstone'
  /** It says much the same as such a text: a person is asked. */
  | 'like_deleted'
  | 'like_corrected'
  /** The same text was taken out of use. */
  | 'archived'
  | 'superseded'
  /** The memory it was about is not there. */
  | 'unknown_memory'
  /** A person would have to be asked, and has too much to answer already, or has said no. */
  | 'inbox_full'
  | 'rejected_before'

export type Outcome =
  | { readonly decision: 'new' | 'same'; readonly id: string }
  | { readonly decision: 'supersedes'; readonly id: string; readonly other_id: string }
  /** `id` is null if the other one is locked: then only the proposal has the new text. */
  | {
      readonly decision: 'conflicts'
      readonly id: string | null
      readonly other_id: string
      readonly proposal_id: string
    }
  | { readonly decision: 'rejected'; readonly reason: RejectReason; readonly proposal_id?: string }

/** What `lookAround` has found outside of the transaction. */
export interface Surroundings {
  /** Memories that may say the same. */
  readonly near_ids: readonly string[]
  /** Null without vectors. */
  readonly vector: (EmbeddingModel & { readonly vector: string }) | null
}
const alone: Surroundings = { near_ids: [], vector: null }

/**
 * Before the first write, with all that the transaction may touch: whoever waits for a memory while holding the log of
 * events would wait for somebody who waits for the log.
 */
export async function holdMemories(
  ctx: BrandTx,
  agent_id: string,
  { ids, drafts }: { readonly ids: readonly string[]; readonly drafts: readonly Draft[] },
): Promise<void> {
  await holdAgent(ctx, agent_id)
  await store.lockAutomation(ctx, agent_id)
  await store.lockMemories(ctx, { agent_id, ids, hashes: drafts.map(hashOf) })
}

/** M5: a new memory, or evidence for one that says the same. What a person has taken away does not come back. */
export async function addMemory(
  ctx: BrandTx,
  agent_id: string,
  draft: Draft,
  origin: Origin,
  around: Surroundings = alone,
): Promise<Outcome> {
  await hold(ctx, agent_id)
  const known = await findKnown(ctx, agent_id, draft, around)
  if (known) return takeAsEvidence(ctx, known, origin)
  const refused = await refuseBuried(ctx, agent_id, draft, origin, around)
  if (refused) return refused
  return { decision: 'new', id: (await write(ctx, agent_id, draft, { origin, around, decision: 'new' })).id }
}

export async function observeAgain(ctx: BrandTx, id: string, origin: Origin): Promise<Outcome> {
  const found = await findMemory(ctx, id)
  if (!found) return rejected('unknown_memory')
  await hold(ctx, found.agent_id)
  const now = await lockMemory(ctx, id)
  return now ? takeAsEvidence(ctx, now, origin) : rejected('unknown_memory')
}

/** The old one is archived with the name of what has taken its place. A locked one stays, and a person is asked. */
export async function supersede(
  ctx: BrandTx,
  old_id: string,
  draft: Draft,
  origin: Origin,
  around: Surroundings = alone,
): Promise<Outcome> {
  const found = await findMemory(ctx, old_id)
  if (!found) return rejected('unknown_memory')
  const { agent_id } = found
  await hold(ctx, agent_id)
  const old = await lockMemory(ctx, old_id)
  if (old?.status !== 'active') return addMemory(ctx, agent_id, draft, origin, around)
  const known = await findKnown(ctx, agent_id, draft, around)
  if (known?.id === old_id) return takeAsEvidence(ctx, known, origin)
  if (old.is_locked) return contradict(ctx, old, draft, { origin, around, reason: 'locked' })
  if (!hasSameSubject(old, draft))
    return contradict(ctx, old, draft, { origin, around, reason: 'other_subject' })
  if (known && known.status !== 'active') return takeAsEvidence(ctx, known, origin)
  const refused = known ? undefined : await refuseBuried(ctx, agent_id, draft, origin, around)
  if (refused) return refused
  const { id } =
    known ??
    (await write(ctx, agent_id, draft, { origin, around, decision: 'supersedes', other_memory_id: old_id }))
  if (known) await observe(ctx, id, origin, 'supersedes', old_id)
  await writeChange(ctx, old, { ...old, status: 'archived', superseded_by: id }, 'updated', {
    reason: `Superseded by ${id}`,
    actor: originActor(origin),
  })
  return { decision: 'supersedes', id, other_id: old_id }
}

/** Both are kept, and a person is asked which is true. What contradicts a locked memory waits outside until then. */
export async function flagConflict(
  ctx: BrandTx,
  id: string,
  draft: Draft,
  origin: Origin,
  around: Surroundings = alone,
): Promise<Outcome> {
  const found = await findMemory(ctx, id)
  if (!found) return rejected('unknown_memory')
  await hold(ctx, found.agent_id)
  const old = await lockMemory(ctx, id)
  if (old?.status !== 'active') return addMemory(ctx, found.agent_id, draft, origin, around)
  return contradict(ctx, old, draft, { origin, around, reason: old.is_locked ? 'locked' : 'contradiction' })
}

interface Contradiction {
  readonly origin: Origin
  readonly around: Surroundings
  readonly reason: ProposalReason
}
async function contradict(
  ctx: BrandTx,
  old: MemoryRow,
  draft: Draft,
  { origin, around, reason }: Contradiction,
): Promise<Outcome> {
  const { agent_id } = old
  const known = await findKnown(ctx, agent_id, draft, around)
  if (known && (known.id === old.id || known.status !== 'active')) return takeAsEvidence(ctx, known, origin)
  if (!known && (await store.findBuried(ctx, agent_id, hashOf(draft)))) return rejected('tombstone')
  const ask = { agent_id, kind: 'conflict', reason, memory_id: old.id, content: draft } as const
  if (!known && old.is_locked) {
    const filed = await fileProposal(ctx, { ...ask, origin: boundedOrigin(origin) })
    return conflictOf(ctx, old, null, filed)
  }
  if (!(await canAsk(ctx, agent_id))) return rejected('inbox_full')
  const refused = known ? undefined : await refuseBuried(ctx, agent_id, draft, origin, around)
  if (refused) return refused
  const { id } =
    known ??
    (await write(ctx, agent_id, draft, { origin, around, decision: 'conflicts', other_memory_id: old.id }))
  if (known) await observe(ctx, id, origin, 'conflicts', old.id)
  const filed = await fileProposal(ctx, { ...ask, other_memory_id: id, origin: boundedOrigin(origin) })
  return conflictOf(ctx, old, id, filed)
}

async function conflictOf(ctx: BrandTx, old: MemoryRow, id: string | null, filed: Filed): Promise<Outcome> {
  if ('refused' in filed) return rejected(filed.refused)
  const { agent_id } = old
  const data = { agent_id, proposal_id: filed.id, other_memory_id: id }
  if (filed.is_new) await ctx.emit({ type: 'memory.conflict', subject_id: old.id, data })
  return { decision: 'conflicts', id, other_id: old.id, proposal_id: filed.id }
}

async function hold(ctx: BrandTx, agent_id: string): Promise<void> {
  await holdAgent(ctx, agent_id)
  await store.lockAutomation(ctx, agent_id)
}

/**
 * Looked for before the tombstones are: somebody who deletes it in between leaves one behind. The other way round, a
 * deletion could slip through between the two looks.
 */
async function findKnown(
  ctx: BrandTx,
  agent_id: string,
  draft: Draft,
  { near_ids }: Surroundings,
): Promise<store.AlikeRow | undefined> {
  const equal = await store.lockAlike(ctx, agent_id, hashOf(draft))
  if (equal || near_ids.length === 0) return equal
  return (await store.lockNear(ctx, agent_id, near_ids)).find((near) => isSame(near, draft))
}

async function takeAsEvidence(
  ctx: BrandTx,
  { id, status, superseded_by }: store.AlikeRow,
  origin: Origin,
): Promise<Outcome> {
  if (status === 'archived') return rejected(superseded_by === null ? 'archived' : 'superseded')
  await observe(ctx, id, origin, 'same', null)
  return { decision: 'same', id }
}

/** A conversation counts once for a memory, however often it says so. */
async function observe(
  ctx: BrandTx,
  id: string,
  origin: Origin,
  decision: Decision,
  other_memory_id: string | null,
): Promise<void> {
  const evidence = { ...boundedOrigin(origin), id, decision, other_memory_id }
  const conversations = await insertProvenance(ctx, evidence)
  const before = conversations === undefined ? undefined : await lockMemory(ctx, id)
  if (!before || conversations === undefined) return
  const content = observedContent(before, { now: ctx.now(), conversations })
  if (!content) return
  const actor = originActor(origin)
  await writeChange(ctx, before, content, 'verified', { reason: 'Observed again', actor })
}

interface Written {
  readonly origin: Origin
  readonly around: Surroundings
  readonly decision: Decision
  readonly other_memory_id?: string
}
async function write(
  ctx: BrandTx,
  agent_id: string,
  draft: Draft,
  { origin, around: { vector }, decision, other_memory_id }: Written,
): Promise<MemoryRow> {
  const row = await writeNew(ctx, agent_id, draftContent(draft), { actor: originActor(origin) })
  const { id } = row
  await insertProvenance(ctx, {
    ...boundedOrigin(origin),
    id,
    decision,
    other_memory_id: other_memory_id ?? null,
  })
  if (vector)
    await insertVector(ctx, { ...vector, id, agent_id, text_hash: embeddedHash(embeddedText(draft)) })
  return row
}

/** M6: an equal text is refused. One that may say the same goes to a person: neither words nor vectors can prove it. */
async function refuseBuried(
  ctx: BrandTx,
  agent_id: string,
  draft: Draft,
  origin: Origin,
  { vector }: Surroundings,
): Promise<Outcome | undefined> {
  if (await store.findBuried(ctx, agent_id, hashOf(draft))) return rejected('tombstone')
  const compared = vector ?? { model: '', dimension: 0, vector: null }
  const buried = await store.listBuried(ctx, { agent_id, ...compared })
  const near = buried.find(({ title, body, cosine }) =>
    isNear(draft, title === null || body === null ? null : { title, body }, cosine),
  )
  if (!near) return undefined
  const reason = near.cause === 'corrected' ? 'like_corrected' : 'like_deleted'
  const ask = { agent_id, kind: 'new', reason, content: draft, origin: boundedOrigin(origin) } as const
  const filed = await fileProposal(ctx, ask)
  return 'refused' in filed ? rejected(filed.refused) : { ...rejected(reason), proposal_id: filed.id }
}

const rejected = (reason: RejectReason) => ({ decision: 'rejected', reason }) as const
