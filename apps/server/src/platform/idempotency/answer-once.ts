import { createHash } from 'node:crypto'
import { keyInUse, keyReused, Refusal, toldOnce } from '@crewhall/contracts/refusal.ts'
import type { BrandCtx, BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Claim } from '#platform/idempotency/claim.ts'
import * as sql from '#platform/idempotency/statements.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { KeyedDigests } from '#platform/secrets/keyed-digests.ts'

export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface KeyedRequest {
  readonly key: string
  /** The first part of the route's id. */
  readonly module: string
  readonly method: string
  readonly path: string
  /** Everything else that was asked, as text. */
  readonly rest: string
  /** Of the answer only that it was given may be kept. */
  readonly is_secret: boolean
  /** Keyed, because a plain digest of a body would let readers of the table test guesses. */
  readonly digests: KeyedDigests
}

export interface Answered {
  readonly answer: StoredAnswer
  readonly is_replayed: boolean
}

export interface Phases<Prepared> {
  /** Outside of any transaction. What it writes, it writes in small transactions that bear repetition. */
  before(ctx: OutsideBrandCtx, claim: Claim): Promise<Prepared>
  /** Rows only. They commit together with the stored answer. */
  run(ctx: BrandTx, prepared: Prepared): Promise<StoredAnswer>
}

/** Longer than any request may take. */
const leaseSeconds = 30

/**
 * Does `work` once for a key. The answer commits with what was done, so there is never one without the other.
 * A refusal is not kept: nothing was done, and it may be different the next time.
 */
export const answerOnce = (
  ctx: BrandCtx,
  asked: KeyedRequest,
  work: (ctx: BrandTx) => Promise<StoredAnswer>,
): Promise<Answered> => {
  const names = namesOf(ctx, asked)
  return ctx.tx(async (ctx) => {
    // Two statements on purpose: the second sees what was committed before the lock was free.
    const [lock, kept] = await Promise.all([ctx.db.first(sql.tryLock, names), ctx.db.first(sql.find, names)])
    // Not waited for: a caller that asks twenty times must not hold twenty connections.
    if (!lock?.is_free) throw inUse()
    if (kept) return again(kept, asked)
    const answer = await work(ctx)
    await ctx.faultPoint('keys.work')
    await ctx.db.run(sql.keep, { ...names, ...stored(asked, answer) })
    return { answer, is_replayed: false }
  })
}

/**
 * The same for work that waits for others. The key is claimed and the claim committed, then nothing is held until the
 * rows and the response commit together. A crash leaves a claim whose lease expires, and the next request with the key
 * takes it over.
 */
export async function answerInPhases<Prepared>(
  ctx: OutsideBrandCtx,
  asked: KeyedRequest,
  { before, run }: Phases<Prepared>,
): Promise<Answered> {
  const names = namesOf(ctx, asked)
  const held = await ctx.db.first(sql.claim, { ...names, lease_seconds: leaseSeconds })
  if (!held) {
    const kept = await ctx.db.first(sql.find, names)
    // Given back between the two statements.
    if (!kept) throw inUse()
    return again(kept, asked)
  }
  const { claim_id: id, claim_epoch } = held
  const mine = { brand_id: names.brand_id, digest: names.digest, claim_id: id, claim_epoch }
  try {
    await ctx.faultPoint('keys.claimed')
    const prepared = await before(ctx, { id, once: (ctx, step) => takeStep(ctx, mine, step) })
    await ctx.faultPoint('keys.prepared')
    const answer = await ctx.tx(async (ctx) => {
      const answer = await run(ctx, prepared)
      await ctx.faultPoint('keys.work')
      if ((await ctx.db.run(sql.keepClaimed, { ...mine, ...stored(asked, answer) })) === 0) throw claimLost()
      return answer
    })
    return { answer, is_replayed: false }
  } catch (error) {
    // After a refusal the key is free. Otherwise something may have been done: the next request continues with this claim.
    const giveUp = error instanceof Refusal ? sql.dropClaim : sql.endLease
    await ctx
      .afterwards()
      .db.run(giveUp, mine)
      .catch((cause: unknown) => ctx.log.warn({ error: cause }, 'could not release an idempotency claim'))
    throw error
  }
}

async function takeStep(ctx: BrandTx, mine: sql.Mine, step: string): Promise<boolean> {
  const found = await ctx.db.first(sql.markStep, { ...mine, step })
  if (!found) throw claimLost()
  return found.is_new
}

const namesOf = (ctx: BrandCtx, asked: KeyedRequest) => ({
  brand_id: ctx.brandId,
  module: asked.module,
  digest: digestOf([credentialOf(ctx), asked.method, asked.path, asked.key]),
  request: asked.digests.of(asked.rest).toString('hex'),
})

const stored = ({ is_secret }: KeyedRequest, { status, headers, body }: StoredAnswer) => ({
  status,
  headers: JSON.stringify(headers),
  body: is_secret ? null : (JSON.stringify(body) ?? null),
})

function again({ request, status, headers, body }: sql.Kept, asked: KeyedRequest): Answered {
  if (!asked.digests.matches(asked.rest, Buffer.from(request, 'hex'))) throw keyReused()
  if (status === null) throw inUse()
  if (asked.is_secret) throw toldOnce()
  const answer = { status, headers: headers ?? {}, body: body === null ? undefined : JSON.parse(body) }
  return { answer, is_replayed: true }
}

const inUse = () => new Refusal(keyInUse.status, keyInUse.text, { 'retry-after': '1' })

/** Another request with the same key has taken over, because this one took too long. */
const claimLost = () => new Outage('service', 'timeout')

/** A key means something to the credential that chose it, and nothing to any other. */
const credentialOf = ({ actor }: BrandCtx): string =>
  actor.kind === 'person' ? `${actor.credential}:${actor.credential_id}` : actor.kind

const digestOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')
