import type { PriorDiscovery } from '@modelcontextprotocol/client'

const most = 1000
const maxCharacters = 8192
const keptMs = 10 * 60 * 1000

interface Kept {
  readonly prior: PriorDiscovery
  readonly until: number
}

/** Which version of the protocol a server speaks, so that not every call has to ask first. */
export class PriorDiscoveries {
  readonly #kept = new Map<string, Kept>()

  find(key: string): PriorDiscovery | undefined {
    const kept = this.#kept.get(key)
    return kept && kept.until > performance.now() ? kept.prior : undefined
  }

  keep(key: string, prior: PriorDiscovery): void {
    this.#kept.delete(key)
    // It is the server's text: one that is long is asked again each time.
    if (JSON.stringify(prior).length > maxCharacters) return
    this.#kept.set(key, { prior, until: performance.now() + keptMs })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > most && oldest !== undefined) this.#kept.delete(oldest)
  }

  forget(key: string): void {
    this.#kept.delete(key)
  }
}
