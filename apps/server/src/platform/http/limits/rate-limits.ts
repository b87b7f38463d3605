import { Refusal, tooManyRequests } from '@crewhall/contracts/refusal.ts'
import type { FastifyRequest } from 'fastify'
import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Guard } from '#platform/http/limits/guards.ts'
import { type Quota, RateLimit } from '#platform/http/limits/rate-limit.ts'

/** Whoever is told how much is left. */
export interface TakesHeaders {
  headers(values: Record<string, string>): unknown
}

export interface RateLimitOptions {
  readonly rate_limit_per_minute: number
  readonly rate_limit_per_credential: number
}

/**
 * Two limits: by address, before anything is known of a caller, and by credential, which many callers behind
 * one address have of their own. Each process counts for itself.
 */
export class RateLimits {
  readonly #byAddress: RateLimit | undefined
  readonly #byCredential: RateLimit | undefined

  constructor({ rate_limit_per_minute, rate_limit_per_credential }: RateLimitOptions) {
    this.#byAddress = limitOf(rate_limit_per_minute)
    this.#byCredential = limitOf(rate_limit_per_credential)
  }

  /** Counts by address. `knows` says whether the credential of a request was good a while ago. */
  guard(knows: (request: FastifyRequest) => boolean): Guard {
    const limit = this.#byAddress
    if (!limit) return { enter: () => undefined }
    return {
      enter: (request, reply) => {
        const { spec, network } = request.held
        if (spec?.unlimited) return undefined
        const quota = limit.count(network)
        // What others behind the same address send must not shut out a caller that has been let in: it has a limit
        // of its own.
        if (quota.left < 0 && this.#byCredential && knows(request)) return undefined
        // Headers cost more than counting, and a caller with a credential gets those of that limit soon.
        const isToldSoon = this.#byCredential !== undefined && hasCredential(request)
        if (quota.left < 0 || !isToldSoon) tell(reply, 'address', quota)
        return refusalOf(quota)
      },
    }
  }

  /** Counts a caller that was let in. */
  count(ctx: SystemCtx | BrandCtx, reply: TakesHeaders): void {
    const credential = credentialOf(ctx)
    if (!this.#byCredential || credential === undefined) return
    const refused = refusalOf(tell(reply, 'credential', this.#byCredential.count(credential)))
    if (refused) throw refused
  }

  /** For an answer that says no more than "unchanged". The address pays all the same: it is for floods. */
  refund(ctx: SystemCtx | BrandCtx, reply: TakesHeaders): void {
    const credential = credentialOf(ctx)
    if (!this.#byCredential || credential === undefined) return
    tell(reply, 'credential', this.#byCredential.refund(credential))
  }
}

const hasCredential = ({ headers }: FastifyRequest): boolean =>
  headers.authorization !== undefined || headers.cookie !== undefined || headers.signature !== undefined

const limitOf = (perMinute: number): RateLimit | undefined =>
  perMinute > 0 ? new RateLimit(perMinute, () => performance.now()) : undefined

const credentialOf = ({ actor }: SystemCtx | BrandCtx): string | undefined =>
  actor.kind === 'person' || actor.kind === 'desk' ? `${actor.credential}:${actor.credential_id}` : undefined

/** The older names, which clients know, and those of the IETF draft. */
function tell(reply: TakesHeaders, policy: string, quota: Quota): Quota {
  const left = Math.max(0, quota.left)
  reply.headers({
    'x-ratelimit-limit': String(quota.per_minute),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(quota.reset_seconds),
    'ratelimit-policy': `"${policy}";q=${quota.per_minute};w=60`,
    ratelimit: `"${policy}";r=${left};t=${quota.reset_seconds}`,
  })
  return quota
}

function refusalOf({ left, reset_seconds }: Quota): Refusal | undefined {
  if (left >= 0) return undefined
  return new Refusal(tooManyRequests.status, tooManyRequests.text, { 'retry-after': String(reset_seconds) })
}
