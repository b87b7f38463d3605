import { randomUUID } from 'node:crypto'
import type { JobSpec } from '@crewhall/contracts/job.ts'
import type { ConnectionOptions, PgBoss } from 'pg-boss'
import type { EnqueueOptions } from '#platform/ctx/enqueue.ts'
import type { Transaction } from '#platform/db/database.ts'
import { translatePgError } from '#platform/db/pg-errors.ts'

/** What the engine stores. `origin` stays the same over all attempts of one job. */
export interface Envelope {
  readonly origin: string
  readonly attempt: number
  readonly payload: unknown
  /** When it may start, by the sender's clock. For the metric only; the engine has its own column. */
  readonly due_ms: number
}

/** Lets the engine's own statements run inside our transaction; its texts are few, so they are prepared. */
export const engineDb = (tx: Transaction): NonNullable<ConnectionOptions['db']> => ({
  executeSql: (text, values) => tx.sql(text, values),
})

/** Puts jobs into the transaction of the rows they belong to. */
export class JobQueue {
  readonly #boss: PgBoss
  #started: Promise<unknown> | undefined

  constructor(boss: PgBoss) {
    this.#boss = boss
  }

  async enqueue(
    tx: Transaction,
    now: Date,
    spec: JobSpec,
    payload: unknown,
    { run_at, priority }: EnqueueOptions = {},
  ): Promise<void> {
    // Checked here, parsed by the run: what is stored is what the schema takes, not what it makes of it.
    spec.payload.parse(payload)
    // A wait, not a time: the engine adds it to the database's clock, which decides when a job is due.
    const waitMs = run_at ? Math.max(0, run_at.getTime() - now.getTime()) : 0
    await this.sendNew(tx, now, spec.name, payload, Math.ceil(waitMs / 1000), priority)
  }

  async sendNew(
    tx: Transaction,
    now: Date,
    name: string,
    payload: unknown,
    waitSeconds: number,
    priority?: number,
  ): Promise<void> {
    await this.send(tx, now, name, { origin: randomUUID(), attempt: 1, payload }, waitSeconds, priority)
  }

  async send(
    tx: Transaction,
    now: Date,
    name: string,
    job: Omit<Envelope, 'due_ms'>,
    waitSeconds: number,
    priority = 0,
  ): Promise<void> {
    const envelope: Envelope = { ...job, due_ms: now.getTime() + waitSeconds * 1000 }
    try {
      await this.#start()
      const id = await this.#boss.send(name, envelope, {
        db: engineDb(tx),
        priority,
        ...(waitSeconds > 0 ? { startAfter: waitSeconds } : {}),
      })
      if (id === null) throw new Error(`the job ${name} was not taken`)
    } catch (error) {
      throw translatePgError(error)
    }
  }

  async close(): Promise<void> {
    if (this.#started) await this.#boss.stop({ graceful: false }).catch(() => {})
  }

  /** With the first job, not at startup: a process must start while the database is down. */
  #start(): Promise<unknown> {
    this.#started ??= this.#boss.start().catch((error: unknown) => {
      this.#started = undefined
      throw error
    })
    return this.#started
  }
}
