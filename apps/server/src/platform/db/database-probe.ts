import pg from 'pg'

interface ProbeWay {
  readonly url: string
  /** Through a pooler, which takes no limit; the one of the role has to do. */
  readonly is_pooled: boolean
}

/**
 * Checks the database over a connection of its own, so that a full pool does not make a healthy database look down, and
 * a slow database cannot block the check.
 */
export class DatabaseProbe {
  readonly #way: ProbeWay
  #client: pg.Client | undefined

  constructor(way: ProbeWay) {
    this.#way = way
  }

  async check(limitMs: number): Promise<boolean> {
    return (
      (await this.ask(limitMs, async (client) => (await client.query('select 1')).rowCount)) !== undefined
    )
  }

  /** What the database says, or nothing if it says nothing in time. */
  async ask<T>(limitMs: number, question: (client: pg.Client) => Promise<T>): Promise<T | undefined> {
    const client = this.#client ?? this.#open(limitMs)
    this.#client = client
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), limitMs)
    })
    const answer = await Promise.race([this.#ask(client, question), late])
    clearTimeout(timer)
    if (answer === undefined) this.#drop(client)
    return answer
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => {})
  }

  #open(limitMs: number): pg.Client {
    const client = new pg.Client({
      connectionString: this.#way.url,
      application_name: 'crewhall-probe',
      connectionTimeoutMillis: limitMs,
      // One that waits for a lock would wait on after we have hung up.
      ...(this.#way.is_pooled ? {} : { statement_timeout: limitMs }),
    })
    client.on('error', () => this.#drop(client))
    return client
  }

  readonly #connected = new WeakMap<pg.Client, Promise<unknown>>()

  async #ask<T>(client: pg.Client, question: (client: pg.Client) => Promise<T>): Promise<T | undefined> {
    try {
      if (!this.#connected.has(client)) this.#connected.set(client, client.connect())
      await this.#connected.get(client)
      return await question(client)
    } catch {
      return undefined
    }
  }

  #drop(client: pg.Client): void {
    if (this.#client === client)
      this.#client = undefined
      // A graceful close would wait for a server that does not respond.
    ;(client as unknown as { connection?: { stream?: { destroy(): void } } }).connection?.stream?.destroy()
  }
}
