import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface KnownVector {
  /** Of the text that was embedded, as the product stores it; empty for a query. */
  readonly text_hash: string
  /** As Postgres reads it. */
  readonly vector: string
}

/** Vectors that the built-in model has made in earlier runs: a thousand of them take a minute. */
export class KnownVectors {
  readonly #path: string
  readonly #model: string
  readonly #known: Map<string, KnownVector>

  constructor(model: string, path = '.cache/bench/memory-vectors.json') {
    this.#model = model
    this.#path = path
    this.#known = new Map(Object.entries(readOr(path)))
  }

  get(texts: readonly string[]): KnownVector | undefined {
    return this.#known.get(this.#key(texts))
  }

  set(texts: readonly string[], vector: KnownVector): void {
    this.#known.set(this.#key(texts), vector)
  }

  clear(): void {
    this.#known.clear()
  }

  keep(): void {
    mkdirSync(dirname(this.#path), { recursive: true })
    writeFileSync(this.#path, JSON.stringify(Object.fromEntries(this.#known)))
  }

  #key(texts: readonly string[]): string {
    return hash('sha256', JSON.stringify([this.#model, ...texts]), 'hex')
  }
}

function readOr(path: string): Record<string, KnownVector> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, KnownVector>
  } catch {
    // Absent or half written: everything is made again.
    return {}
  }
}
