import type { Outside } from '#platform/ctx/outside.ts'
import { networksOf } from '#platform/outbound/addresses.ts'
import { connect, secure } from '#platform/outbound/connect.ts'
import { exchange } from '#platform/outbound/exchange.ts'
import { createAddressesOf } from '#platform/outbound/names.ts'
import type { OutboundCall, OutboundFailure, OutboundResult } from '#platform/outbound/outbound-call.ts'
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
}

const lookUpLimitMs = 2500

export function createOutbound(options: OutboundOptions): Outbound {
  const allowed = networksOf(options.allowed_networks)
  const addressesOf = createAddressesOf(options.name_servers)
  // One forbidden address among many is enough: which of them is used is up to chance.
  const reachable = async ({ is_name, host, mayReach }: Target) => {
    const addresses = is_name ? await addressesOf(host) : [host]
    return { addresses, are_allowed: addresses.every(mayReach) }
  }
  return {
    async mayCall(_, url) {
      const target = targetOf(url, allowed)
      if (!target) return false
      // Nobody waits for a name server that does not answer: each call looks again.
      const found = await Promise.race([reachable(target), aborted(AbortSignal.timeout(lookUpLimitMs))])
      return found?.are_allowed ?? true
    },

    async pin(_, url, signal) {
      const target = targetOf(url, allowed)
      if (!target) return { failure: 'address' }
      const late = AbortSignal.timeout(lookUpLimitMs)
      const found = await Promise.race([
        reachable(target),
        aborted(signal ? AbortSignal.any([late, signal]) : late),
      ])
      if (!found || found.addresses.length === 0) return { failure: 'unresolved' }
      if (!found.are_allowed) return { failure: 'address' }
      return { host: target.host, port: target.port, addresses: found.addresses }
    },

    async call(_, call) {
      const target = targetOf(call.url, allowed)
      if (!target) return { failure: 'address' }
      const late = AbortSignal.timeout(call.limit_ms)
      const signal = call.signal ? AbortSignal.any([late, call.signal]) : late
      const given = (failure: OutboundFailure) => ({
        failure: late.aborted ? ('timeout' as const) : signal.aborted ? ('aborted' as const) : failure,
      })
      const found = await Promise.race([reachable(target), aborted(signal)])
      if (!found) return given('aborted')
      if (found.addresses.length === 0) return given('unresolved')
      if (!found.are_allowed) return { failure: 'address' }
      const socket = await connect(target, found.addresses, signal)
      if (!socket) return given('unreachable')
      // What was looked up is what was connected to; this is the proof, before the first byte is sent.
      if (!target.mayReach(socket.remoteAddress ?? '')) {
        socket.destroy()
        return { failure: 'address' }
      }
      const line = target.is_secure ? await secure(socket, target, signal) : socket
      if (!line) return given('tls')
      const result = await exchange(line, target, call, signal)
      return 'failure' in result ? given(result.failure) : result
    },
  }
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
