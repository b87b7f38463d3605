import { CallerGone, EndpointStatus } from '#platform/model-endpoint/model-endpoint.ts'
import type { BreakerLimits, Sign } from '#platform/outage/circuit-breaker.ts'
import { Outage } from '#platform/outage/outage.ts'

/** Three calls may find out that an endpoint is away; then one caller each cool-down does. */
export const modelBreaker: BreakerLimits = { failures: 3, cool_down_ms: 5_000, longest_ms: 60_000 }

/** Statuses about this one request. Any other refusal (a wrong key, an unknown model) meets every request. */
const aboutTheRequest = new Set([400, 413, 422])

/** What a failed call says about its endpoint. */
export function signOf(error: unknown): Sign {
  if (!(error instanceof Outage)) return 'unknown'
  const { reason, cause } = error
  if (cause instanceof CallerGone) return 'unknown'
  if (reason === 'bad_answer') return 'there'
  const status = cause instanceof EndpointStatus ? cause.status : undefined
  if (reason === 'refused') return status && !aboutTheRequest.has(status) ? 'away' : 'there'
  // Without a status it is our own queue that is full.
  if (reason === 'overloaded') return status ? 'away' : 'unknown'
  return 'away'
}
