import type { JobSpec } from '@crewhall/contracts/job.ts'
import { CronExpressionParser } from 'cron-parser'
import type { Database } from '#platform/db/database.ts'
import { sql, statement } from '#platform/db/statement.ts'
import type { JobQueue } from '#platform/jobs/queue.ts'
import type { Log } from '#platform/log/log.ts'

type Due = { name: string; cron: string; now: string }

const listDue = statement<{ names: readonly string[] }, { name: string }>(
  (p) => sql`select name from jobs.schedules where next_at <= platform.now() and name = any(${p.names})
     order by name`,
)
const lockDue = statement<{ name: string }, Due>(
  (p) => sql`select name, cron, platform.now() as now from jobs.schedules
   where next_at <= platform.now() and name = ${p.name} for update skip locked`,
)
const setNext = statement<{ name: string; next_at: string }, unknown>(
  (p) => sql`update jobs.schedules set next_at = ${p.next_at} where name = ${p.name}`,
)
const putSchedule = statement<{ name: string; cron: string; next_at: string }, unknown>(
  (p) => sql`insert into jobs.schedules (name, cron, next_at) values (${p.name}, ${p.cron}, ${p.next_at})
   on conflict (name) do update set cron = excluded.cron, next_at = excluded.next_at
   where jobs.schedules.cron <> excluded.cron`,
)
const readNow = statement<object, { now: string }>(() => sql`select platform.now() as now`)

const nextRun = (cron: string, after: string): string =>
  CronExpressionParser.parse(cron, { currentDate: after, tz: 'UTC' }).next().toISOString() ?? after

/**
 * Puts what is scheduled here into the table: as a part of every migration, and by each worker when it starts. A schedule that
 * this version does not know stays: workers of the last version still run, or come back, and nobody else looks at it.
 */
export async function putSchedules(database: Database, specs: readonly JobSpec[]): Promise<void> {
  const scheduled = specs.flatMap(({ name, cron }) => (cron ? [{ name, cron }] : []))
  // Rows are locked as they are put, and another version may have its jobs in another order.
  scheduled.sort((a, b) => (a.name < b.name ? -1 : 1))
  await database.transaction(undefined, async (tx) => {
    const now = (await tx.first(readNow, {}))?.now ?? ''
    for (const { name, cron } of scheduled)
      await tx.run(putSchedule, { name, cron, next_at: nextRun(cron, now) })
  })
}

/**
 * Every worker looks once a second; the row lock lets one of them move the time and enqueue the run in
 * the same commit, so a run happens once however many workers there are. Runs that were missed while no
 * worker was up become one run, not many.
 */
export class Scheduler {
  readonly #database: Database
  readonly #queue: JobQueue
  readonly #specs: readonly JobSpec[]
  readonly #log: Log
  #arePut = false
  #timer: NodeJS.Timeout | undefined
  #ticking: Promise<void> | undefined

  constructor(database: Database, queue: JobQueue, specs: readonly JobSpec[], log: Log) {
    this.#database = database
    this.#queue = queue
    this.#specs = specs.filter(({ cron }) => cron)
    this.#log = log
  }

  start(): void {
    if (this.#specs.length === 0) return
    this.#timer = setInterval(() => {
      // One at a time: while the database hangs, looks must not pile up behind each other.
      this.#ticking ??= this.#tick().finally(() => {
        this.#ticking = undefined
      })
    }, 1000)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#ticking
  }

  async #tick(): Promise<void> {
    try {
      // A version that was here in between may have had other times.
      if (!this.#arePut) await putSchedules(this.#database, this.#specs)
      this.#arePut = true
      const names = this.#specs.map(({ name }) => name)
      const due = await this.#database.statements.all(listDue, { names })
      // A transaction each: a schedule that cannot be enqueued must not hold up the others.
      for (const { name } of due) await this.#enqueue(name).catch((error) => this.#warn(error, name))
    } catch (error) {
      this.#warn(error)
    }
  }

  async #enqueue(name: string): Promise<void> {
    await this.#database.transaction(undefined, async (tx) => {
      const due = await tx.first(lockDue, { name })
      if (!due) return
      await tx.run(setNext, { name, next_at: nextRun(due.cron, due.now) })
      await this.#queue.sendNew(tx, new Date(due.now), name, {}, 0)
    })
  }

  #warn(error: unknown, name?: string): void {
    this.#log.warn({ error, ...(name ? { job: name } : {}) }, 'scheduler')
  }
}
