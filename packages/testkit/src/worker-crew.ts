import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { untilFrozen } from './frozen.ts'
import type { ServerProcess } from './server-process.ts'
import { handOver, isQuiet, takeOverNow } from './take-over.ts'
import { waitFor } from './wait-for.ts'

interface CrewOptions {
  readonly database: string
  /** How many there are when a round begins, the one that is lost in it included. */
  readonly size: number
  readonly start: (env: Record<string, string>) => Promise<ServerProcess>
}
interface Member {
  readonly worker: ServerProcess
  /** Names the fault that it is to have. */
  readonly plan: string
}

/**
 * Workers of one database for many rounds. In each round one of them, awake alone, ends or freezes at a named step, and
 * the others go on from there. Who is lost is replaced meanwhile, so a round costs one start and hardly waits for it.
 */
export class WorkerCrew {
  readonly #options: CrewOptions
  readonly #dir = mkdtempSync(join(tmpdir(), 'crewhall-crew-'))
  #members: Member[] = []
  #coming: Promise<void>[] = []
  #started = 0

  private constructor(options: CrewOptions) {
    this.#options = options
  }

  static async open(options: CrewOptions): Promise<WorkerCrew> {
    const crew = new WorkerCrew(options)
    for (let n = 0; n < options.size; n += 1) crew.#hire()
    await crew.#complete()
    return crew
  }

  /** Whoever is awake now has this fault ahead of it; all others sleep. */
  async doom(fault: string): Promise<ServerProcess> {
    await this.#complete()
    const [doomed, ...others] = this.#members
    if (!doomed) throw new Error('the crew is closed')
    await this.#sleep(others)
    writeFileSync(doomed.plan, fault)
    return doomed.worker
  }

  /** After the fault: as if the lost one had been silent for long. So many of the others wake up and take its jobs over. */
  async takeOver(lost: ServerProcess, count = this.#options.size - 1): Promise<void> {
    const { database } = this.#options
    await takeOverNow(database)
    this.wake(lost, count)
    await handOver(database)
  }

  /** After the fault, but leases and heartbeats end by themselves. */
  wake(lost: ServerProcess, count = this.#options.size - 1): void {
    this.#members = this.#members.filter(({ worker }) => worker !== lost)
    for (const { worker } of this.#members.slice(0, count)) worker.child.kill('SIGCONT')
    this.#hire()
  }

  async close(): Promise<void> {
    await this.#complete()
    for (const { worker } of this.#members) worker.child.kill('SIGCONT')
    await Promise.all(this.#members.map(({ worker }) => worker.stop()))
    this.#members = []
    rmSync(this.#dir, { recursive: true, force: true })
  }

  #hire(): void {
    this.#started += 1
    const plan = join(this.#dir, String(this.#started))
    writeFileSync(plan, '')
    const started = this.#options.start({ JOBS_SUPERVISE_SECONDS: '1', TEST_FAULT_POINTS: `@${plan}` })
    const joined = started.then((worker) => void this.#members.push({ worker, plan }))
    // Whoever waits for the crew hears of it.
    joined.catch(() => {})
    this.#coming.push(joined)
  }

  async #complete(): Promise<void> {
    await Promise.all(this.#coming)
    this.#coming = []
  }

  /** Between two pieces of work: one that slept in the middle of something would hold it up. */
  async #sleep(members: readonly Member[]): Promise<void> {
    await waitFor(async () => {
      for (const { worker } of members) worker.child.kill('SIGSTOP')
      for (const { worker } of members) await untilFrozen(worker)
      if (await isQuiet(this.#options.database)) return true
      for (const { worker } of members) worker.child.kill('SIGCONT')
      return false
    }, 60_000)
  }
}
