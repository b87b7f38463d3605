import type { BrandCtx, BrandTx, OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Claimed, Due, EmbeddingModel, EmbeddingQueue, Marked } from '#platform/db/embedding-queue.ts'
import { batchSize, callsOf, restMs, waitSeconds } from '#platform/embeddings/embedding-schedule.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { Outage } from '#platform/outage/outage.ts'

interface QueuedText {
  readonly id: string
  readonly text: string
  readonly hash: Buffer
  /** Whether the vector that is there is of this text and model. */
  readonly is_known: boolean
}
export interface NewVectors extends Marked, EmbeddingModel {
  readonly hashes: readonly Buffer[]
  readonly vectors: readonly string[]
}

/** The texts of a module, and where their vectors go. */
export interface EmbeddedTexts {
  /** Of its fault points `<name>.embedded` and `<name>.vectors`. */
  readonly name: string
  readonly queue: EmbeddingQueue
  /**
   * Read after the claim, and never in the same statement: the mark there is that of the row as it was locked, the text that
   * of the snapshot before, and a change between the two would give an older text the mark of the newer one.
   */
  listTexts(ctx: BrandCtx, ids: readonly string[], model: EmbeddingModel): Promise<readonly QueuedText[]>
  /** Only of texts whose row in the queue still has its mark, and takes those rows out. */
  insertVectors(ctx: BrandTx, vectors: NewVectors): Promise<unknown>
}

/** Longer than the calls of a batch may take. Whoever changes the text meanwhile does not wait for it. */
const lease_seconds = 600
/** Then others have the process, and a stop is heard. */
const mostBatches = 20
const walkBite = 1000

type Pending = Claimed & QueuedText

/** Embeds what is due, workspace by workspace, a batch of each in turn. One at a time in a process. */
export class Embedder {
  readonly #vectors: TextVectors
  readonly #texts: EmbeddedTexts
  #after = 0
  #failures = 0
  #restUntil = 0
  #isEnding = false

  constructor(vectors: TextVectors, texts: EmbeddedTexts) {
    this.#vectors = vectors
    this.#texts = texts
  }

  /** Ends with the call that is under way. */
  end(): void {
    this.#isEnding = true
  }

  async look(ctx: OutsideSystemCtx): Promise<void> {
    if (!this.#vectors.is_on || performance.now() < this.#restUntil) return
    for (let n = 0; n < mostBatches && !this.#isEnding; n += 1) {
      const due = await this.#next(ctx)
      if (due) await this.#tryBatch(ctx.forBrand(due.brand_id), due.attempts)
      else if (!(await this.#walk(ctx))) return
      if (performance.now() < this.#restUntil) return
    }
  }

  async #next(ctx: OutsideSystemCtx): Promise<Due | undefined> {
    const { queue } = this.#texts
    const due = (await queue.findDue(ctx, this.#after)) ?? (await queue.findDue(ctx, 0))
    this.#after = due?.brand_id ?? 0
    return due
  }

  async #tryBatch(ctx: OutsideBrandCtx, attempts: number): Promise<void> {
    const isDone = await this.#batch(ctx, attempts)
    this.#failures = isDone ? 0 : this.#failures + 1
    if (!isDone) this.#restUntil = performance.now() + restMs(this.#failures)
  }

  /** Returns false if the model was not able to. */
  async #batch(ctx: OutsideBrandCtx, attempts: number): Promise<boolean> {
    const calls = callsOf(await this.#claim(ctx, attempts))
    for (const [at, call] of calls.entries()) {
      if (!this.#isEnding && (await this.#call(ctx, call))) continue
      const wait_seconds = this.#isEnding ? 0 : waitSeconds(attempts + 1)
      await this.#texts.queue.updateFailed(ctx, { ...marked(calls.slice(at).flat()), wait_seconds })
      return this.#isEnding
    }
    return true
  }

  /** Those that need a vector: a text that is again what it was keeps the one it has. */
  async #claim(ctx: OutsideBrandCtx, attempts: number): Promise<Pending[]> {
    const { queue } = this.#texts
    const claimed = await queue.claimDue(ctx, { attempts, limit: batchSize(attempts), lease_seconds })
    const marks = new Map(claimed.map(({ id, mark }) => [id, mark]))
    const { model, dimension } = this.#vectors
    const found = await this.#texts.listTexts(ctx, [...marks.keys()], { model, dimension })
    const all = found.map((text) => ({ ...text, mark: marks.get(text.id) ?? '' }))
    const known = all.filter(({ is_known }) => is_known)
    if (known.length > 0) await queue.deleteQueued(ctx, marked(known))
    return all.filter(({ is_known }) => !is_known)
  }

  async #call(ctx: OutsideBrandCtx, pending: readonly Pending[]): Promise<boolean> {
    const { model, dimension } = this.#vectors
    const { name, queue } = this.#texts
    const texts = pending.map(({ text }) => text)
    const vectors = await this.#vectors
      .embed(ctx, texts, { kind: 'document', owner: String(ctx.brandId) })
      .catch((error: unknown) => {
        if (!(error instanceof Outage) || error.part !== 'embeddings') throw error
      })
    if (!vectors) return false
    await ctx.faultPoint(`${name}.embedded`)
    const hashes = pending.map(({ hash }) => hash)
    await ctx.tx(async (ctx) => {
      const these = marked(pending)
      await queue.lockRows(ctx, these.ids)
      await this.#texts.insertVectors(ctx, { ...these, hashes, vectors, model, dimension })
      await ctx.faultPoint(`${name}.vectors`)
    })
    return true
  }

  /**
   * After a change of the model: a bite of the way over all rows, to queue those without a vector of it. Returns whether there
   * was anything to do.
   */
  async #walk(ctx: OutsideSystemCtx): Promise<boolean> {
    const { model, dimension } = this.#vectors
    const { queue } = this.#texts
    const found = await queue.findWalk(ctx)
    if (found?.is_done && found.model === model && found.dimension === dimension) return false
    await ctx.overBrands().tx(async (ctx) => {
      await queue.insertWalk(ctx, { model, dimension })
      const at = await queue.findWalk(ctx)
      if (!at) return
      const seen = await queue.insertMissing(ctx, at, walkBite)
      if (seen < walkBite) await queue.updateWalkDone(ctx)
    })
    return true
  }
}

const marked = (claimed: readonly Claimed[]): Marked => ({
  ids: claimed.map(({ id }) => id),
  marks: claimed.map(({ mark }) => mark),
})
