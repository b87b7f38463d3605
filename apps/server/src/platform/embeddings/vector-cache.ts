import type { Vector } from '#platform/embeddings/vectors.ts'

/** Key, entry and the object around the numbers. */
const overheadBytes = 256

/** The vectors that were used last, up to a number of bytes. */
export class VectorCache {
  readonly #maxBytes: number
  /** In the order of their last use, because a key that is set again goes last. */
  readonly #vectors = new Map<string, Vector>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get size(): number {
    return this.#vectors.size
  }

  get(key: string): Vector | undefined {
    const vector = this.#vectors.get(key)
    if (!vector) return undefined
    this.#vectors.delete(key)
    this.#vectors.set(key, vector)
    return vector
  }

  set(key: string, vector: Vector): void {
    this.#forget(key)
    this.#vectors.set(key, vector)
    this.#bytes += vector.byteLength + overheadBytes
    for (const oldest of this.#vectors.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    const vector = this.#vectors.get(key)
    if (!vector) return
    this.#vectors.delete(key)
    this.#bytes -= vector.byteLength + overheadBytes
  }
}
