import type { Candidate } from '@crewhall/contracts/conversations/conversations.ts'
import {
  addMemory,
  flagConflict,
  holdMemories,
  listNeighbours,
  lookAround,
  type Origin,
  type Outcome,
  observeAgain,
  type Surroundings,
  supersede,
} from '#modules/memory'
import type { BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import type { Llm } from '#platform/llm/llm.ts'
import { Outage } from '#platform/outage/outage.ts'
import { extract } from '../extraction/extract.service.ts'
import { type Judged, judge } from '../extraction/judge.rules.ts'
import { mostTokensOf, partOf, promptOf, promptVersion, type Said } from '../extraction/prompt.rules.ts'
import {
  type Claim,
  ClaimLost,
  extendClaim,
  failAttempt,
  finishAttempt,
  holdAttempt,
  holdClaim,
  readRange,
} from '../ledger/claims.service.ts'
import { type Allowance, type DailyLimits, reserveCall, settleCall } from '../usage/spend.service.ts'

export interface ReadDeps {
  readonly llm: Llm
  readonly vectors: TextVectors
  /** Of one workspace in a day. */
  readonly limits: DailyLimits
}
/** Longer than a call can take. A worker that is silent for longer is dead, and another one may start. */
export const leaseSeconds = 300
/** More than fit into a prompt. */
const bounds = { messages: 1000, characters: 40_000 }
/** Each is searched for, to find the notes that it may be about. */
const mostQueries = 12

/**
 * One attempt: one call of the model about the next part of the conversation, and one commit for all that follows.
 * Returns false if the model could not be asked, so that nothing has changed.
 */
export async function readConversation(
  ctx: OutsideBrandCtx,
  deps: ReadDeps,
  claim: Claim,
  signal: AbortSignal,
): Promise<boolean> {
  await ctx.faultPoint('memory.picked')
  try {
    return await attempt(ctx, deps, claim, signal)
  } catch (error) {
    if (!(error instanceof ClaimLost)) throw error
    ctx.log.warn({ conversation_id: claim.id }, 'a conversation belongs to another worker by now')
    return true
  }
}

async function attempt(
  ctx: OutsideBrandCtx,
  { llm, vectors, limits }: ReadDeps,
  claim: Claim,
  signal: AbortSignal,
): Promise<boolean> {
  const { source_id, agent_id } = claim
  const range = await readRange(ctx, claim, bounds)
  const messages = partOf(range.messages)
  const last = messages.at(-1)
  const end_seq = last && messages.length < range.messages.length ? last.seq + 1 : range.end_seq
  const cost = { calls: 0, tokens_in: 0, tokens_out: 0, model: llm.model }
  if (!last) {
    await ctx.tx((ctx) =>
      finishAttempt(ctx, claim, { end_seq, cost: { ...cost, model: null }, candidates: [] }),
    )
    return true
  }
  const known = await listNeighbours(ctx, vectors, agent_id, queriesOf(messages))
  // A worker that was frozen has lost it by now, and must not pay for a second call.
  await extendClaim(ctx, claim, leaseSeconds)
  const prompt = promptOf(last.sent_at ?? claim.created_at, messages, known)
  const allowance = await reserveCall(
    ctx,
    limits,
    { purpose: 'reading', source_id, agent_id },
    mostTokensOf(prompt),
  )
  if (!allowance.is_granted) {
    await holdAttempt(ctx, claim, allowance)
    return true
  }
  const spent = (tokens: { prompt: number; completion: number }) => {
    cost.calls += 1
    cost.tokens_in += tokens.prompt
    cost.tokens_out += tokens.completion
  }
  const asked = await extract(ctx, llm, { owner: String(ctx.brandId), prompt, spent, signal }).catch(outageOf)
  if (asked instanceof Outage) return fail(ctx, claim, { allowance, cost, outage: asked, signal })
  await ctx.faultPoint('memory.answered')
  const judged = judge(asked, messages, known.length)
  const drafts = judged.flatMap((one) => (one.decision === 'rejected' ? [] : [one.draft]))
  const around = await lookAround(ctx, vectors, agent_id, drafts)
  const decided = judged.map((one): Decided => {
    if (one.decision === 'rejected') return { judged: one, about: undefined, around: undefined }
    const about = one.existing === undefined ? undefined : known[one.existing]?.id
    return { judged: one, about, around: around[drafts.indexOf(one.draft)] }
  })
  await ctx.tx(async (ctx) => {
    await holdClaim(ctx, claim)
    const candidates = await applyAll(ctx, claim, decided, llm.model)
    await settleCall(ctx, allowance, cost)
    await finishAttempt(ctx, claim, { end_seq, cost, candidates })
  })
  await ctx.faultPoint('memory.stored')
  return true
}

interface Decided {
  readonly judged: Judged
  /** The memory that it is about. */
  readonly about: string | undefined
  readonly around: Surroundings | undefined
}

/** Memories, where they come from, the ledger and the end of the attempt are one commit: this is its first part. */
async function applyAll(
  ctx: BrandTx,
  claim: Claim,
  decided: readonly Decided[],
  model: string,
): Promise<Candidate[]> {
  const drafts = decided.flatMap(({ judged }) => (judged.decision === 'rejected' ? [] : [judged.draft]))
  const ids = decided.flatMap(({ about, around }) => [...(about ? [about] : []), ...(around?.near_ids ?? [])])
  if (drafts.length > 0) await holdMemories(ctx, claim.agent_id, { ids, drafts })
  const candidates: Candidate[] = []
  for (const one of decided) candidates.push(candidateOf(await apply(ctx, claim, one, model), one))
  return candidates
}

async function apply(
  ctx: BrandTx,
  { id: conversation_id, source_id, source_type, agent_id }: Claim,
  { judged, about, around }: Decided,
  model: string,
): Promise<Outcome | (Judged & { decision: 'rejected' })> {
  if (judged.decision === 'rejected') return judged
  const { quote, message_seqs, draft } = judged
  const from = { conversation_id, source_id, source_type }
  const origin: Origin = { ...from, message_seqs, quote, model, prompt_version: promptVersion }
  if (about === undefined) return addMemory(ctx, agent_id, draft, origin, around)
  if (judged.decision === 'same') return observeAgain(ctx, about, origin)
  if (judged.decision === 'supersedes') return supersede(ctx, about, draft, origin, around)
  return flagConflict(ctx, about, draft, origin, around)
}

const candidateOf = (
  outcome: Outcome | (Judged & { decision: 'rejected' }),
  { about }: Decided,
): Candidate => ({
  decision: outcome.decision,
  reason: outcome.decision === 'rejected' ? outcome.reason : null,
  memory_id: outcome.decision === 'rejected' ? null : outcome.id,
  other_memory_id: 'other_id' in outcome ? outcome.other_id : (about ?? null),
})

const outageOf = (error: unknown): Outage => {
  if (error instanceof Outage && error.part === 'model') return error
  throw error
}

interface Failed {
  readonly allowance: Allowance
  readonly cost: {
    readonly calls: number
    readonly tokens_in: number
    readonly tokens_out: number
    readonly model: string
  }
  readonly outage: Outage
  readonly signal: AbortSignal
}
/**
 * CONV-13: the ladder makes the next attempt. What never reached the model, or was cut off because this process ends, is
 * not a failed call: it stays due.
 */
async function fail(
  ctx: OutsideBrandCtx,
  claim: Claim,
  { allowance, cost, outage, signal }: Failed,
): Promise<boolean> {
  const isFailed = cost.calls > 0 && !signal.aborted
  const error = signal.aborted ? 'The worker was stopped' : `model: ${outage.reason}`
  await ctx.tx((ctx) => settleCall(ctx, allowance, cost))
  if (isFailed) await failAttempt(ctx, claim, { error, cost })
  else await holdAttempt(ctx, claim, { reason: error, until: ctx.now().toISOString(), cost })
  return isFailed
}

/** The longest messages say most about what the conversation is about. */
const queriesOf = (messages: readonly Said[]): string[] =>
  messages
    .map(({ text }) => text)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, mostQueries)
