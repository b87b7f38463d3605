import type { Log } from '#platform/log/log.ts'

/** Looks again and again for work that no job tells of, one look at a time. For worker processes. */
export class Loop {
  readonly #name: string
  readonly #everyMs: number
  readonly #look: () => Promise<void>
  readonly #log: Log
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  constructor(given: { name: string; every_ms: number; look: () => Promise<void>; log: Log }) {
    this.#name = given.name
    this.#everyMs = given.every_ms
    this.#look = given.look
    this.#log = given.log
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      this.#looking ??= this.#once().finally(() => {
        this.#looking = undefined
      })
    }, this.#everyMs)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  async #once(): Promise<void> {
    try {
      await this.#look()
    } catch (error) {
      // The next look comes soon.
      this.#log.warn({ error, loop: this.#name }, 'could not look for work')
    }
  }
}
