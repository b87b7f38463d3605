import { setTimeout } from 'node:timers/promises'
import pg from 'pg'

/** Writes one row after the other to whoever is the primary, and remembers which were acknowledged. */
export class MarkWriter {
  readonly #url: string
  readonly #acknowledged: { mark: number; at: number }[] = []
  #isOver = false
  #work: Promise<void> = Promise.resolve()
  #next = 1

  constructor(url: string) {
    this.#url = url
  }

  get count(): number {
    return this.#acknowledged.length
  }

  start(): void {
    this.#isOver = false
    this.#work = this.#write()
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#work
  }

  /** How many were acknowledged until the moment; throws if one of them is not there. */
  compare(moment: number, there: ReadonlySet<number>): number {
    const before = this.#acknowledged.filter(({ at }) => at <= moment)
    const lost = before.filter(({ mark }) => !there.has(mark))
    if (lost.length > 0) throw new Error(`${lost.length} of ${before.length} acknowledged rows are missing`)
    if (before.length < 10) throw new Error(`only ${before.length} rows were acknowledged`)
    return before.length
  }

  async #write(): Promise<void> {
    while (!this.#isOver) {
      const client = new pg.Client({ connectionString: this.#url, query_timeout: 10_000 })
      client.on('error', () => {})
      try {
        await client.connect()
        while (!this.#isOver) {
          const mark = this.#next
          this.#next += 1
          await client.query('insert into marks (mark) values ($1)', [mark])
          this.#acknowledged.push({ mark, at: Date.now() })
          await setTimeout(20)
        }
      } catch {
        await setTimeout(200)
      } finally {
        await client.end().catch(() => {})
      }
    }
  }
}
