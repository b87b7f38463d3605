import type { Outside } from '#platform/ctx/outside.ts'
import { networksOf } from '#platform/outbound/addresses.ts'
import { ask, type Begun, bodyOf, collect } from '#platform/outbound/exchange.ts'
import { type LineFailure, Lines } from '#platform/outbound/lines.ts'
import { createAddressesOf } from '#platform/outbound/names.ts'
import {
  type OutboundCall,
  type OutboundFailure,
  OutboundFault,
  type OutboundResult,
  type StreamedCall,
  type StreamedResult,
} from '#platform/outbound/outbound-call.ts'
import { type Target, targetOf } from '#platform/outbound/target.ts'

export interface OutboundOptions {
  /** Networks that are allowed although they are not public. */
  readonly allowed_networks: readonly string[]
  /** Name servers; those of the machine when there are none. */
  readonly name_servers: readonly string[]
}

export interface Pinned {
  /** A name, or an address without brackets. */
  readonly host: string
  readonly port: number
  readonly addresses: readonly string[]
}
export interface PinFailure {
  /** `address`: it may not be called. */
  readonly failure: 'address' | 'unresolved'
}

/** The only way to call addresses that users chose. */
export interface Outbound {
  /** Whether a URL could be called, as far as is known now. An unknown name may exist later. */
  mayCall(outside: Outside, url: string): Promise<boolean>
  /**
   * For programs that connect by themselves, such as git: where they may connect to, looked up once. They must be told
   * these addresses and no name, and must not follow redirects.
   */
  pin(outside: Outside, url: string, signal?: AbortSignal): Promise<Pinned | PinFailure>
  /** Never throws because of the other side. Redirects are returned, not followed. */
  call(outside: Outside, call: OutboundCall): Promise<OutboundResult>
  /** The same as soon as the headers are there. The body follows, up to a size that the caller chooses. */
  stream(outside: Outside, call: StreamedCall): Promise<StreamedResult>
  close(): void
}

const lookUpLimitMs = 2500

/**
 * Shorter than servers keep idle connections: what is sent on a connection that the other side is just closing may or may not
 * have been read.
 */
const lines = { most: 256, most_each: 4, idle_ms: 4000 }

export function createOutbound(options: OutboundOptions): Outbound {
  const kept = new Lines(lines)
  const judge = createJudge(options)

  async function begin(call: OutboundCall | StreamedCall): Promise<Made | { failure: OutboundFailure }> {
    const target = judge.targetOf(call.url)
    if (!target) return { failure: 'address' }
    const { signal, given } = limitOf(call)
    const found = await Promise.race([judge.reachable(target), aborted(signal)])
    if (!found) return { failure: given('aborted') }
    if (found.addresses.length === 0) return { failure: given('unresolved') }
    if (!found.are_allowed) return { failure: 'address' }
    const line = { target, addresses: found.addresses, keep_for: call.keep_for, signal }
    const asked = { ...call, path: target.path }
    const mayRepeat = call.method === 'GET' || call.may_repeat
    let begun = await ask(kept, line, asked)
    // On a connection of its own: others that were kept may have ended as well.
    if (begun === 'stale' && mayRepeat) begun = await ask(kept, { ...line, keep_for: undefined }, asked)
    if (begun === 'stale') return { failure: given('unreachable') }
    return 'failure' in begun ? { failure: given(begun.failure) } : { begun, given }
  }

  return {
    async mayCall(_, url) {
      const target = judge.targetOf(url)
      if (!target) return false
      // Nobody waits for a name server that does not answer: each call looks again.
      const found = await Promise.race([judge.reachable(target), aborted(AbortSignal.timeout(lookUpLimitMs))])
      return found?.are_allowed ?? true
    },

    async pin(_, url, signal) {
      const target = judge.targetOf(url)
      if (!target) return { failure: 'address' }
      const late = AbortSignal.timeout(lookUpLimitMs)
      const found = await Promise.race([
        judge.reachable(target),
        aborted(signal ? AbortSignal.any([late, signal]) : late),
      ])
      if (!found || found.addresses.length === 0) return { failure: 'unresolved' }
      if (!found.are_allowed) return { failure: 'address' }
      return { host: target.host, port: target.port, addresses: found.addresses }
    },

    async call(_, call) {
      const made = await begin(call)
      if ('failure' in made) return made
      // Read to its end where that is near, so that the other side sees an orderly goodbye.
      const collected = collect(made.begun)
      if (call.wants === 'status') return { ...headOf(made.begun), body: Buffer.alloc(0) }
      const result = await collected
      return 'failure' in result ? { failure: made.given(result.failure) } : result
    },

    async stream(_, call) {
      const made = await begin(call)
      if ('failure' in made) return made
      const { begun, given } = made
      return { ...headOf(begun), body: explained(bodyOf(begun, call.max_bytes), given), end: begun.end }
    },

    close: () => kept.destroy(),
  }
}

function createJudge({ allowed_networks, name_servers }: OutboundOptions) {
  const allowed = networksOf(allowed_networks)
  const addressesOf = createAddressesOf(name_servers)
  return {
    targetOf: (url: string) => targetOf(url, allowed),
    // One forbidden address among many is enough: which of them is used is up to chance.
    async reachable({ is_name, host, mayReach }: Target) {
      const addresses = is_name ? await addressesOf(host) : [host]
      return { addresses, are_allowed: addresses.every(mayReach) }
    },
  }
}

interface Made {
  readonly begun: Begun
  readonly given: Given
}
type Given = (failure: LineFailure) => OutboundFailure

/** One limit for everything, and what a failure is called once it has passed. */
function limitOf(call: OutboundCall | StreamedCall): { signal: AbortSignal; given: Given } {
  const late = AbortSignal.timeout(call.limit_ms)
  const signal = call.signal ? AbortSignal.any([late, call.signal]) : late
  const given: Given = (failure) => {
    if (failure === 'address' || failure === 'too_large') return failure
    if (signal.aborted) return late.aborted ? 'timeout' : 'aborted'
    return failure === 'refused' || failure === 'door' ? 'unreachable' : failure
  }
  return { signal, given }
}

const headOf = ({ response: { statusCode = 0, headers } }: Begun) => ({ status: statusCode, headers })

async function* explained(
  body: AsyncGenerator<Buffer, void, undefined>,
  given: Given,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* body
  } catch (error) {
    throw error instanceof OutboundFault ? new OutboundFault(given(error.failure)) : error
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
