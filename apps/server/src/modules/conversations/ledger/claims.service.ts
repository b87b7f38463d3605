import type { Candidate } from '@crewhall/contracts/conversations/conversations.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { mostLosses, nextRange, waitAfter } from './claims.rules.ts'
import * as store from './claims.store.ts'

export type { Claim, DueSource, UnreadMessage } from './claims.store.ts'

/** Another worker has the conversation by now, or nobody needs it any more. Whatever was to be written must not be. */
export class ClaimLost extends Error {}

const beforeAll = { brand_id: 0, source_id: '00000000-0000-0000-0000-000000000000' }

/** Sources with something to read, in pages. Those that are paused are not among them (CONV-G7). */
export const listDueSources = (ctx: SystemCtx, limit: number, after: store.DueSource = beforeAll) =>
  store.listDueSources(ctx, after, limit)

interface Wanted {
  readonly source_id: string
  readonly limit: number
  readonly lease_seconds: number
}

/** CONV-G9: each belongs to this worker until its lease ends. One that keeps ending its workers is given up. */
export async function claimConversations(ctx: BrandCtx, wanted: Wanted): Promise<readonly store.Claim[]> {
  const claims = await store.claimDue(ctx, wanted)
  for (const claim of claims.filter(({ losses }) => losses >= mostLosses))
    await giveUp(ctx, claim, { error: `Its worker ended ${claim.losses} times in a row`, outcome: 'lost' })
  return claims.filter(({ losses }) => losses < mostLosses)
}

/** For work that takes longer than expected. */
export async function extendClaim(ctx: BrandCtx, claim: store.Claim, lease_seconds: number): Promise<void> {
  if (!(await store.extendLease(ctx, claim, lease_seconds))) throw new ClaimLost()
}

export interface Range {
  readonly messages: readonly store.UnreadMessage[]
  /** What `finishAttempt` is told when all of these were read. */
  readonly end_seq: number
}

/** What was not read before, without what the filter has dropped. */
export async function readRange(
  ctx: BrandCtx,
  { id, read_through, message_count }: store.Claim,
  bounds: { readonly messages: number; readonly characters: number },
): Promise<Range> {
  const unread = await store.listUnread(ctx, id, read_through, bounds.messages + 1)
  const { messages, is_all } = nextRange(unread, bounds)
  const after = (messages.at(-1)?.seq ?? read_through - 1) + 1
  return { messages, end_seq: is_all ? Math.max(after, message_count) : after }
}

/** What an attempt has cost. */
export interface Cost {
  readonly calls: number
  readonly tokens_in: number
  readonly tokens_out: number
  readonly model: string | null
}

/** First in the transaction that ends an attempt: whoever has lost the claim must write nothing. */
export const holdClaim = async (ctx: BrandTx, claim: store.Claim): Promise<void> => {
  await locked(ctx, claim)
}

/** In the transaction of the memories that came out of it: they commit with the end of the attempt or not at all. */
export async function finishAttempt(
  ctx: BrandTx,
  claim: store.Claim,
  { end_seq, cost, candidates }: { end_seq: number; cost: Cost; candidates: readonly Candidate[] },
): Promise<void> {
  await locked(ctx, claim)
  const rejected = candidates.filter(({ decision }) => decision === 'rejected').length
  await store.endAttempt(ctx, claim, {
    ...cost,
    outcome: 'finished',
    end_seq,
    produced: candidates.length - rejected,
    rejected,
    error: null,
  })
  await store.insertCandidates(ctx, claim, {
    decisions: candidates.map(({ decision }) => decision),
    reasons: candidates.map(({ reason }) => reason),
    memory_ids: candidates.map(({ memory_id }) => memory_id),
    other_memory_ids: candidates.map(({ other_memory_id }) => other_memory_id),
  })
  await store.updateRead(ctx, claim.id, end_seq)
}

interface Failure {
  readonly error: string
  readonly cost?: Cost | undefined
}
const nothing: Cost = { calls: 0, tokens_in: 0, tokens_out: 0, model: null }

/** CONV-13, CONV-14: the next rung of the ladder, counted from now, or the end of it. */
export const failAttempt = (ctx: BrandCtx, claim: store.Claim, failure: Failure): Promise<void> =>
  ctx.tx(async (ctx) => {
    const attempts = (await locked(ctx, claim)).attempts + 1
    const seconds = waitAfter(attempts)
    if (seconds === undefined) return fail(ctx, claim, { ...failure, attempts, outcome: 'failed' })
    await end(ctx, claim, failure, 'failed')
    const next_try_at = new Date(ctx.now().getTime() + seconds * 1000).toISOString()
    await store.updatePutBack(ctx, { id: claim.id, state: 'waiting', attempts, reason: null, next_try_at })
  })

/** Waits visibly, with the reason and the time at which it continues. Does not count as a failure. */
export const holdAttempt = (
  ctx: BrandCtx,
  claim: store.Claim,
  held: { readonly reason: string; readonly until: string; readonly cost?: Cost | undefined },
): Promise<void> =>
  ctx.tx(async (ctx) => {
    const { attempts } = await locked(ctx, claim)
    await end(ctx, claim, { error: held.reason, cost: held.cost }, 'held')
    const { reason, until: next_try_at } = held
    await store.updatePutBack(ctx, { id: claim.id, state: 'held', attempts, reason, next_try_at })
  })

const giveUp = (
  ctx: BrandCtx,
  claim: store.Claim,
  failure: Failure & { readonly outcome: 'failed' | 'lost' },
): Promise<void> =>
  ctx.tx(async (ctx) => {
    const { attempts } = await locked(ctx, claim)
    await fail(ctx, claim, { ...failure, attempts })
  })

async function fail(
  ctx: BrandTx,
  claim: store.Claim,
  failure: Failure & { readonly attempts: number; readonly outcome: 'failed' | 'lost' },
): Promise<void> {
  const { id, source_id, agent_id } = claim
  const { attempts, error: reason } = failure
  await end(ctx, claim, failure, failure.outcome)
  await store.updatePutBack(ctx, { id, state: 'failed', attempts, reason, next_try_at: null })
  await ctx.emit({ type: 'conversation.failed', subject_id: id, data: { source_id, agent_id, attempts } })
}

const end = (
  ctx: BrandTx,
  claim: store.Claim,
  { error, cost = nothing }: Failure,
  outcome: 'failed' | 'held' | 'lost',
) => store.endAttempt(ctx, claim, { ...cost, outcome, end_seq: null, produced: 0, rejected: 0, error })

async function locked(ctx: BrandTx, claim: store.Claim): Promise<{ attempts: number }> {
  const row = await store.lockClaim(ctx, claim)
  if (!row) throw new ClaimLost()
  return row
}
