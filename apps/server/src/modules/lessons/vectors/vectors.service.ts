import type { OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { Outage } from '#platform/outage/outage.ts'
import { textHash } from './text-hash.ts'
import { batchSize, callsOf, restMs, waitSeconds } from './vectors.rules.ts'
import * as store from './vectors.store.ts'

/** Longer than the calls of a batch may take. */
const lease_seconds = 600
/** Then others have the process, and a stop is heard. */
const mostBatches = 20
const walkBite = 1000

type Pending = store.Claimed & { readonly body: string; readonly hash: Buffer }

/** Makes the vectors of lessons, a batch of one workspace after the other. One at a time in a process. */
export class LessonEmbedder {
  readonly #vectors: TextVectors
  #after = 0
  #failures = 0
  #restUntil = 0
  #isEnding = false

  constructor(vectors: TextVectors) {
    this.#vectors = vectors
  }

  /** Ends with the call that is under way. */
  end(): void {
    this.#isEnding = true
  }

  async look(ctx: OutsideSystemCtx): Promise<void> {
    if (!this.#vectors.is_on || performance.now() < this.#restUntil) return
    for (let n = 0; n < mostBatches && !this.#isEnding; n += 1) {
      const due = await this.#next(ctx)
      if (due) await this.#batch(ctx.forBrand(due.brand_id), due.attempts)
      else if (!(await walk(ctx, this.#vectors))) return
      if (performance.now() < this.#restUntil) return
    }
  }

  async #next(ctx: OutsideSystemCtx): Promise<store.Due | undefined> {
    const due = (await store.findDue(ctx, this.#after)) ?? (await store.findDue(ctx, 0))
    this.#after = due?.brand_id ?? 0
    return due
  }

  async #batch(ctx: OutsideBrandCtx, attempts: number): Promise<void> {
    const calls = callsOf(await claimBodies(ctx, this.#vectors, attempts))
    for (const [at, call] of calls.entries()) {
      if (!this.#isEnding && (await embedCall(ctx, this.#vectors, call))) continue
      const wait_seconds = this.#isEnding ? 0 : waitSeconds(attempts + 1)
      await store.updateFailed(ctx, { ...marked(calls.slice(at).flat()), wait_seconds })
      if (this.#isEnding) return
      this.#failures += 1
      this.#restUntil = performance.now() + restMs(this.#failures)
      return
    }
    this.#failures = 0
  }
}

/** Those that need a vector: a text that is again what it was keeps the one it has. */
async function claimBodies(ctx: OutsideBrandCtx, model: store.Model, attempts: number): Promise<Pending[]> {
  const claimed = await store.claimDue(ctx, { attempts, limit: batchSize(attempts), lease_seconds })
  const marks = new Map(claimed.map(({ id, mark }) => [id, mark]))
  const found = await store.listBodies(ctx, [...marks.keys()], model)
  const all = found.map(({ id, body, text_hash }) => {
    const hash = textHash(body)
    return { id, mark: marks.get(id) ?? '', body, hash, isKnown: text_hash?.equals(hash) ?? false }
  })
  const known = all.filter(({ isKnown }) => isKnown)
  if (known.length > 0) await store.deleteQueued(ctx, marked(known))
  return all.filter(({ isKnown }) => !isKnown)
}

/** Returns false if the model was not able to. */
async function embedCall(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  pending: readonly Pending[],
): Promise<boolean> {
  const { model, dimension } = vectors
  const texts = pending.map(({ body }) => body)
  const made = await vectors
    .embed(ctx, texts, { kind: 'document', owner: String(ctx.brandId) })
    .catch((error: unknown) => {
      if (!(error instanceof Outage) || error.part !== 'embeddings') throw error
    })
  if (!made) return false
  await ctx.faultPoint('lessons.embedded')
  const hashes = pending.map(({ hash }) => hash)
  await ctx.tx(async (ctx) => {
    const these = marked(pending)
    await store.lockLessons(ctx, these.ids)
    await store.insertVectors(ctx, { ...these, hashes, vectors: made, model, dimension })
  })
  return true
}

const marked = (pending: readonly store.Claimed[]) => ({
  ids: pending.map(({ id }) => id),
  marks: pending.map(({ mark }) => mark),
})

/** After a change of the model: a bite of the way over all lessons. Returns whether there was anything to do. */
async function walk(ctx: OutsideSystemCtx, { model, dimension }: TextVectors): Promise<boolean> {
  const found = await store.findWalk(ctx)
  if (found?.is_done && found.model === model && found.dimension === dimension) return false
  await ctx.overBrands().tx(async (ctx) => {
    await store.insertWalk(ctx, { model, dimension })
    const at = await store.findWalk(ctx)
    if (!at) return
    const seen = await store.insertMissing(ctx, at, walkBite)
    if (seen < walkBite) await store.updateWalkDone(ctx)
  })
  return true
}
