import type pg from 'pg'

type Lent = (error: Error | undefined, client?: pg.PoolClient) => void

interface Waiting {
  readonly lent: Lent
  readonly since: number
}

/**
 * Lends the connections of a pool. One that comes back goes straight to the caller that has waited longest: the way
 * through the pool takes two timers, a tick and four listeners, which under load is paid for every statement.
 */
export class Lending {
  readonly #pool: pg.Pool
  readonly #waiting: Waiting[] = []
  /** Connections that have died in use; the pool throws them away. */
  readonly #dead = new WeakSet<pg.ClientBase>()
  readonly #limitMs: number
  #lent = 0
  #timer: NodeJS.Timeout | undefined

  constructor(pool: pg.Pool) {
    this.#pool = pool
    this.#limitMs = pool.options.connectionTimeoutMillis ?? 0
    pool.on('connect', (client) => {
      const died = () => this.#dead.add(client)
      client.once('error', died)
      client.once('end', died)
    })
  }

  take(lent: Lent): void {
    if (this.#lent < this.#pool.options.max) {
      this.#lent += 1
      this.#connect(lent)
      return
    }
    this.#waiting.push({ lent, since: performance.now() })
    if (this.#limitMs > 0) this.#timer ??= this.#lookAfter(this.#limitMs)
  }

  giveBack(client: pg.PoolClient, isLost: boolean): void {
    const isSound = !isLost && !this.#dead.has(client)
    const next = isSound ? this.#waiting.shift() : undefined
    if (next) {
      next.lent(undefined, client)
      return
    }
    client.release(isLost)
    this.#free()
  }

  #connect(lent: Lent): void {
    this.#pool.connect((error, client) => {
      if (!client) this.#free()
      lent(error, client)
    })
  }

  /** The next one gets a connection of its own. */
  #free(): void {
    const next = this.#waiting.shift()
    if (next) this.#connect(next.lent)
    else this.#lent -= 1
  }

  #lookAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#refuseLate(), ms).unref()
  }

  #refuseLate(): void {
    this.#timer = undefined
    const now = performance.now()
    for (let [first] = this.#waiting; first; [first] = this.#waiting) {
      const left = first.since + this.#limitMs - now
      if (left > 0) {
        this.#timer = this.#lookAfter(Math.ceil(left))
        return
      }
      this.#waiting.shift()
      // In the words of the pool, which are known as an outage.
      first.lent(new Error('timeout exceeded when trying to connect'))
    }
  }
}
