import { hash } from 'node:crypto'
import { bulkheads } from '#platform/bulkheads/bulkheads.ts'
import { Lanes } from '#platform/bulkheads/lanes.ts'
import type { Outside } from '#platform/ctx/outside.ts'
import { type EndpointEmbeddingOptions, endpointProvider } from '#platform/embeddings/endpoint.ts'
import { OfflineModel } from '#platform/embeddings/offline.ts'
import { batchesOf, piecesOf } from '#platform/embeddings/pieces.ts'
import type { EmbeddingKind, EmbeddingProvider } from '#platform/embeddings/provider.ts'
import { VectorCache } from '#platform/embeddings/vector-cache.ts'
import { meanOf, type Vector } from '#platform/embeddings/vectors.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { modelBreaker, signOf } from '#platform/model-endpoint/signs.ts'
import { CircuitBreaker } from '#platform/outage/circuit-breaker.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface EmbedOptions {
  readonly kind: EmbeddingKind
  /** Whose texts these are, such as a workspace: places are shared between owners, cached vectors are not. */
  readonly owner: string
}

export interface Embeddings {
  /** False if the operator has switched them off: every call would be an outage. */
  readonly is_on: boolean
  /** Goes into the row beside each vector: vectors of different models cannot be compared. */
  readonly model: string
  readonly dimension: number
  /**
   * A vector of length 1 for each text, at most 64 at a time. Throws an `Outage` of part `embeddings` when there are
   * none now: a search goes on without, a job tries again.
   */
  embed(outside: Outside, texts: readonly string[], options: EmbedOptions): Promise<Vector[]>
  close(): Promise<void>
}

export type EmbeddingSource =
  | { readonly kind: 'off' }
  | { readonly kind: 'offline' }
  | ({ readonly kind: 'url' } & EndpointEmbeddingOptions)

export interface EmbeddingOptions {
  readonly source: EmbeddingSource
  /** How long a search waits for the vector of its query. */
  readonly query_ms: number
}

const maxTexts = 64
const cacheBytes = 16 * 1024 * 1024
/** How long a batch waits for its turn. */
const waitMs = { query: 10_000, document: 60_000 } as const

export function createEmbeddings(options: EmbeddingOptions, log: Log, metrics: Metrics): Embeddings {
  const { source, query_ms } = options
  if (source.kind === 'off') return absent
  const provider =
    source.kind === 'offline'
      ? new OfflineModel(log)
      : endpointProvider(source, (purpose, tokens) =>
          metrics.model_tokens.inc({ part: 'embeddings', purpose, direction: 'in' }, tokens),
        )
  return new ProvidedEmbeddings(provider, query_ms, log, metrics)
}

const absent: Embeddings = {
  is_on: false,
  model: 'none',
  dimension: 0,
  async embed() {
    throw new Outage('embeddings', 'not_configured')
  },
  close: async () => {},
}

export class ProvidedEmbeddings implements Embeddings {
  readonly is_on = true
  readonly model: string
  readonly dimension: number
  readonly #provider: EmbeddingProvider
  readonly #queryMs: number
  readonly #metrics: Metrics
  readonly #lanes: Lanes
  readonly #breaker: CircuitBreaker
  readonly #cache = new VectorCache(cacheBytes)
  /** Queries that are being computed, for those who ask the same meanwhile. */
  readonly #underWay = new Map<string, Promise<Vector>>()

  constructor(provider: EmbeddingProvider, queryMs: number, log: Log, metrics: Metrics) {
    this.#provider = provider
    this.#queryMs = queryMs
    this.#metrics = metrics
    this.model = provider.model
    this.dimension = provider.dimension
    const places = provider.concurrency
    const spare = places > 1 ? 1 : 0
    this.#lanes = new Lanes('embeddings', {
      ...bulkheads.models,
      all: { places, kept_free: spare },
      later: { places: places - spare, kept_free: 0 },
    })
    this.#breaker = new CircuitBreaker({
      part: 'embeddings',
      limits: modelBreaker,
      signOf,
      changed: (isOpen) =>
        isOpen
          ? log.warn({ model: this.model }, 'embeddings are away; searches use text only')
          : log.info({ model: this.model }, 'embeddings are back'),
    })
    metrics.watchModel('embeddings', () => ({
      waiting: this.#lanes.waiting,
      is_refusing: this.#breaker.is_refusing,
    }))
  }

  async embed(_: Outside, texts: readonly string[], { kind, owner }: EmbedOptions): Promise<Vector[]> {
    if (texts.length > maxTexts) throw new RangeError(`at most ${maxTexts} texts at a time`)
    if (kind === 'document') return this.#measured(kind, () => this.#compute(texts, kind, owner))
    return Promise.all(texts.map((text) => this.#query(text, owner)))
  }

  async close(): Promise<void> {
    await this.#provider.close()
  }

  async #query(text: string, owner: string): Promise<Vector> {
    // Shared between owners, it would tell one what another has searched for: by the time it takes.
    const key = hash('sha256', `${owner}\0${text}`, 'base64')
    const known = this.#cache.get(key)
    if (known) return known
    let work = this.#underWay.get(key)
    if (!work) {
      work = this.#computeQuery(text, owner, key)
      this.#underWay.set(key, work)
    }
    // Work goes on when its caller has stopped waiting: the next one finds it done.
    return within(this.#queryMs, work)
  }

  async #computeQuery(text: string, owner: string, key: string): Promise<Vector> {
    try {
      const [vector] = await this.#measured('query', () => this.#compute([text], 'query', owner))
      if (!vector) throw new Outage('embeddings', 'bad_answer')
      this.#cache.set(key, vector)
      return vector
    } finally {
      this.#underWay.delete(key)
    }
  }

  async #compute(texts: readonly string[], kind: EmbeddingKind, owner: string): Promise<Vector[]> {
    const { pieces: limits, batch } = this.#provider
    const pieces = texts.map((text) => piecesOf(text, limits))
    const vectors: Vector[] = []
    for (const some of batchesOf(pieces.flat(), batch))
      vectors.push(...(await this.#computeBatch(some, kind, owner)))
    let at = 0
    return pieces.map((ofText) => {
      const mine = vectors.slice(at, at + ofText.length)
      at += ofText.length
      const mean = meanOf(
        mine,
        ofText.map(({ length }) => length),
      )
      if (!mean) throw new Outage('embeddings', 'bad_answer', { cause: new Error('no direction') })
      return mean
    })
  }

  async #computeBatch(pieces: readonly string[], kind: EmbeddingKind, owner: string) {
    this.#breaker.check()
    const leave = await this.#place(kind, owner)
    try {
      const limit = AbortSignal.timeout(this.#provider.limit_ms[kind])
      return await this.#breaker.run(() => this.#provider.embed(pieces, kind, limit))
    } finally {
      leave()
    }
  }

  async #place(kind: EmbeddingKind, owner: string): Promise<() => void> {
    const patience = AbortSignal.timeout(waitMs[kind])
    try {
      return await this.#lanes.take(kind === 'query' ? 'now' : 'later', owner, patience)
    } catch (error) {
      throw error instanceof Outage ? error : new Outage('embeddings', 'overloaded', { cause: error })
    }
  }

  async #measured<T>(purpose: EmbeddingKind, work: () => Promise<T>): Promise<T> {
    const start = performance.now()
    const tell = (outcome: string) =>
      this.#metrics.model_seconds.observe(
        { part: 'embeddings', purpose, outcome },
        (performance.now() - start) / 1000,
      )
    try {
      const result = await work()
      tell('ok')
      return result
    } catch (error) {
      tell(error instanceof Outage ? error.reason : 'bug')
      throw error
    }
  }
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  // Nobody may be left to hear it.
  work.catch(() => {})
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Outage('embeddings', 'timeout')), limitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
