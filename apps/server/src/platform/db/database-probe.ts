import pg from 'pg'

/**
 * Checks the database over a connection of its own, so that a full pool does not make a healthy database look down, and
 * a slow database cannot block the check.
 */
export class DatabaseProbe {
  readonly #url: string
  #client: pg.Client | undefined

  constructor(url: string) {
    this.#url = url
  }

  async check(limitMs: number): Promise<boolean> {
    const client = this.#client ?? this.#open(limitMs)
    this.#client = client
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), limitMs)
    })
    const alive = await Promise.race([this.#ask(client), late])
    clearTimeout(timer)
    if (!alive) this.#drop(client)
    return alive
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => {})
  }

  #open(limitMs: number): pg.Client {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'crewhall-probe',
      connectionTimeoutMillis: limitMs,
    })
    client.on('error', () => this.#drop(client))
    return client
  }

  readonly #connected = new WeakMap<pg.Client, Promise<unknown>>()

  async #ask(client: pg.Client): Promise<boolean> {
    try {
      if (!this.#connected.has(client)) this.#connected.set(client, client.connect())
      await this.#connected.get(client)
      await client.query('select 1')
      return true
    } catch {
      return false
    }
  }

  #drop(client: pg.Client): void {
    if (this.#client === client)
      this.#client = undefined
      // A graceful close would wait for a server that does not respond.
    ;(client as unknown as { connection?: { stream?: { destroy(): void } } }).connection?.stream?.destroy()
  }
}
