import type { Outside } from '#platform/ctx/outside.ts'
import { addressOf, isWithin, networksOf } from '#platform/outbound/addresses.ts'
import { ask, collect } from '#platform/outbound/exchange.ts'
import { type LineFailure, Lines } from '#platform/outbound/lines.ts'
import type { Answered } from '#platform/outbound/outbound-call.ts'
import { type Target, targetWithin } from '#platform/outbound/target.ts'

export interface KeptCallsOptions {
  /** The only networks that are called. */
  readonly networks: readonly string[]
  /** As many connections are kept; further calls open one of their own. */
  readonly most: number
  /** How long a connection may lie idle. */
  readonly idle_ms: number
  /** Addresses that are reached through a door, which stands in their network, and by no other way. */
  readonly door?: { readonly path: string; readonly networks: readonly string[] } | undefined
}

export interface KeptCall {
  /** An address, not a name, without a query. */
  readonly base_url: string
  /** With the query. */
  readonly path: string
  /** For everything together. */
  readonly limit_ms: number
}

export type KeptFailure = LineFailure
export type KeptResult = Answered | { readonly failure: KeptFailure }

/**
 * GETs to the same addresses again and again, over connections that are kept. Each is judged before it is opened and proven
 * before its first byte; one that is kept stays with the address that it was opened to.
 */
export class KeptCalls {
  readonly #networks
  readonly #lines: Lines
  readonly #doorTo: (host: string) => string | undefined

  constructor({ networks, most, idle_ms, door }: KeptCallsOptions) {
    this.#networks = networksOf(networks)
    const behind = networksOf(door?.networks ?? [])
    this.#doorTo = (host) => {
      const address = addressOf(host)
      return address && isWithin(address, behind) ? door?.path : undefined
    }
    this.#lines = new Lines({ most, most_each: 1, idle_ms })
  }

  /** How many connections are open. */
  get open(): number {
    return this.#lines.open
  }

  /** Never throws because of the other side. Redirects are returned, not followed. */
  async get(_: Outside, call: KeptCall): Promise<KeptResult> {
    const target = targetWithin(call.base_url, this.#networks)
    if (!target) return { failure: 'address' }
    const over = new AbortController()
    const late = setTimeout(() => over.abort(), call.limit_ms)
    try {
      const first = await this.#once(target, call.path, over.signal)
      const result = first === 'stale' ? await this.#once(target, call.path, over.signal) : first
      if (result !== 'stale' && !('failure' in result)) return result
      if (over.signal.aborted) return { failure: 'timeout' }
      return result === 'stale' ? { failure: 'unreachable' } : result
    } finally {
      clearTimeout(late)
    }
  }

  close(): void {
    this.#lines.destroy()
  }

  async #once(target: Target, path: string, signal: AbortSignal): Promise<KeptResult | 'stale'> {
    const { host } = target
    const line = { target, addresses: [host], keep_for: '', door: this.#doorTo(host), signal }
    const begun = await ask(this.#lines, line, {
      method: 'GET',
      path: `${target.path.replace(/(?<!\/)\/+$/, '')}${path}`,
      headers: { accept: 'application/json' },
    })
    return typeof begun === 'string' || 'failure' in begun ? begun : collect(begun)
  }
}
