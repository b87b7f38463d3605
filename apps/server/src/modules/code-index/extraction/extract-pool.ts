import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Blob, Extracted, WorkerSettings } from './extract-worker.ts'
import { type FileFacts, noFacts, parserFailed } from './facts.rules.ts'

export interface PoolLimits {
  readonly threads: number
  /** A thread that has taken more than this is replaced. */
  readonly thread_mb: number
  /**
   * Longest work on one batch; then its blobs are tried one by one, each with this limit. In time of the processor of all
   * threads: those of a busy machine wait, and must not be taken for stuck ones.
   */
  readonly batch_cpu_ms: number
}

export const poolDefaults: PoolLimits = { threads: 2, thread_mb: 600, batch_cpu_ms: 120_000 }

const lookMs = 1_000
const entry = new URL('extract-worker.ts', import.meta.url)
const failed = JSON.stringify({ ...noFacts, skipped: parserFailed } satisfies FileFacts)

/** A few threads that extract, one batch at a time each. */
export class ExtractPool {
  readonly #limits: PoolLimits
  readonly #idle: Worker[] = []
  readonly #waiting: ((worker: Worker) => void)[] = []
  #started = 0
  #replaced = 0
  #isClosed = false

  constructor(limits: PoolLimits = poolDefaults) {
    this.#limits = limits
  }

  /** Starts a thread before there is work: loading parsers takes a second. */
  warm(): void {
    if (this.#started > 0) return
    this.#started += 1
    this.#idle.push(start())
  }

  /** Facts as JSON, in the order of the blobs. A blob that ends its thread gives empty facts with a reason. */
  async extract(blobs: readonly Blob[]): Promise<readonly string[]> {
    const facts = await this.#attempt(blobs)
    if (facts) return facts
    const each: string[] = []
    for (const blob of blobs) each.push((await this.#attempt([blob]))?.[0] ?? failed)
    return each
  }

  /** How many threads had taken too much memory or time, or had ended. */
  get replaced(): number {
    return this.#replaced
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#idle.splice(0).map((worker) => worker.terminate()))
  }

  async #attempt(blobs: readonly Blob[]): Promise<readonly string[] | undefined> {
    if (this.#isClosed) return undefined
    const worker = await this.#take()
    const extracted = await ask(worker, blobs, this.#limits.batch_cpu_ms)
    const isSpent = !extracted || extracted.memory_bytes > this.#limits.thread_mb * 1024 * 1024
    if (isSpent) this.#replaced += 1
    if (isSpent || this.#isClosed) await worker.terminate()
    this.#give(isSpent ? undefined : worker)
    return extracted?.facts
  }

  #take(): Promise<Worker> | Worker {
    const idle = this.#idle.pop()
    if (idle) return idle
    if (this.#started < this.#limits.threads) {
      this.#started += 1
      return start()
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #give(worker: Worker | undefined): void {
    const next = this.#waiting.shift()
    if (next) next(worker ?? start())
    else if (worker) this.#idle.push(worker)
    else this.#started -= 1
  }
}

function start(): Worker {
  // Node names a folder of its own below the one that it is given.
  const compiled = getCompileCacheDir()
  const settings: WorkerSettings = { compiled_dir: compiled === undefined ? undefined : dirname(compiled) }
  const worker = new Worker(entry, {
    env: {},
    workerData: settings,
    resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 16 },
  })
  // Its end is noticed by what waits for it; an idle one that ends is noticed at the next batch.
  worker.on('error', () => {})
  worker.unref()
  return worker
}

function ask(worker: Worker, blobs: readonly Blob[], limitMs: number): Promise<Extracted | undefined> {
  return new Promise((resolve) => {
    const settle = (extracted: Extracted | undefined) => {
      clearInterval(timer)
      worker.off('message', settle).off('error', onEnd).off('exit', onEnd)
      resolve(extracted)
    }
    const onEnd = () => settle(undefined)
    const before = process.cpuUsage()
    const timer = setInterval(() => {
      const { user, system } = process.cpuUsage(before)
      if ((user + system) / 1000 > limitMs) onEnd()
    }, lookMs)
    worker.on('message', settle).on('error', onEnd).on('exit', onEnd)
    worker.postMessage(blobs)
  })
}
