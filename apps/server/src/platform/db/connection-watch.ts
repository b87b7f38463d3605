import type pg from 'pg'
import type { Life } from '#platform/bulkheads/life.ts'

interface Owed {
  answers: number
  since: number
  /** The life of the request that waits for it. */
  life: Life | undefined
}

/**
 * Drops connections whose server takes too long to respond: a frozen machine, a silently dropped connection. The
 * driver's own limit sets a timer per statement, and those timers keep objects of finished requests alive long enough
 * to be promoted, which cost a tenth of the CPU time of a read. Checking the few busy connections four times a second
 * does the same.
 */
export class ConnectionWatch {
  readonly #owed = new Map<pg.ClientBase, Owed>()
  readonly #limitMs: number
  readonly #timer: NodeJS.Timeout

  constructor(limitMs: number) {
    this.#limitMs = limitMs
    this.#timer = setInterval(() => this.#look(), 250).unref()
  }

  asked(client: pg.ClientBase, life?: Life): void {
    const owed = this.#owed.get(client)
    if (owed) {
      owed.answers += 1
      owed.life = life
    } else this.#owed.set(client, { answers: 1, since: performance.now(), life })
  }

  /** Connections that are at work for a request. */
  owedTo(life: Life): pg.ClientBase[] {
    return [...this.#owed].flatMap(([client, owed]) => (owed.life === life ? [client] : []))
  }

  /** Statements may queue on one connection; the limit is per response, not for the queue. */
  answered(client: pg.ClientBase): void {
    const owed = this.#owed.get(client)
    if (!owed) return
    owed.answers -= 1
    owed.since = performance.now()
    if (owed.answers === 0) this.#owed.delete(client)
  }

  /** One of several statements sent together is done. */
  stepped(client: pg.ClientBase): void {
    const owed = this.#owed.get(client)
    if (owed) owed.since = performance.now()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const oldest = performance.now() - this.#limitMs
    for (const [client, { since }] of this.#owed) {
      if (since > oldest) continue
      this.#owed.delete(client)
      streamOf(client)?.destroy(new Error('query read timeout'))
    }
  }
}

interface WithStream {
  readonly connection?: { readonly stream?: { destroy(error: Error): void } }
}

/** A graceful close would wait for a server that does not respond. */
const streamOf = (client: pg.ClientBase) => (client as unknown as WithStream).connection?.stream
