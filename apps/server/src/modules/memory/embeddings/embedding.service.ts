import { createHash } from 'node:crypto'
import type { OutsideBrandCtx, OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { Outage } from '#platform/outage/outage.ts'
import { batchSize, callsOf, embeddedText, restMs, waitSeconds } from './embedding.rules.ts'
import * as store from './embeddings.store.ts'

/** What to do without vectors is for the caller to decide. Errors of other kinds are none of these. */
export const noneWhenAway = (error: unknown): undefined => {
  if (!(error instanceof Outage) || error.part !== 'embeddings') throw error
}

/** Beside a vector, it says of which text that is. */
export const embeddedHash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Longer than the calls of a batch may take. Whoever changes the text meanwhile does not wait for it. */
const lease_seconds = 600
/** Then others have the process, and a stop is heard. */
const mostBatches = 20
const walkBite = 1000

/** Embeds what is due, workspace by workspace, a batch of each in turn. One at a time in a process. */
export class Embedder {
  readonly #vectors: TextVectors
  #after = 0
  #failures = 0
  #restUntil = 0
  #isEnding = false

  constructor(vectors: TextVectors) {
    this.#vectors = vectors
  }

  /** Ends with the batch that is under way. */
  end(): void {
    this.#isEnding = true
  }

  async look(ctx: OutsideSystemCtx): Promise<void> {
    if (!this.#vectors.is_on || performance.now() < this.#restUntil) return
    for (let n = 0; n < mostBatches && !this.#isEnding; n += 1) {
      const due = await this.#next(ctx)
      if (due) await this.#tryBatch(ctx.forBrand(due.brand_id), due.attempts)
      else if (!(await walk(ctx, this.#vectors))) return
      if (performance.now() < this.#restUntil) return
    }
  }

  async #next(ctx: OutsideSystemCtx): Promise<store.Due | undefined> {
    const due = (await store.findDue(ctx, this.#after)) ?? (await store.findDue(ctx, 0))
    this.#after = due?.brand_id ?? 0
    return due
  }

  async #tryBatch(ctx: OutsideBrandCtx, attempts: number): Promise<void> {
    const isDone = await embedBatch(ctx, this.#vectors, { attempts, isEnding: () => this.#isEnding })
    this.#failures = isDone ? 0 : this.#failures + 1
    if (!isDone) this.#restUntil = performance.now() + restMs(this.#failures)
  }
}

type Pending = store.Claimed & { readonly text: string; readonly hash: Buffer }

/** Returns false if the model was not able to. */
async function embedBatch(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  { attempts, isEnding }: { attempts: number; isEnding: () => boolean },
): Promise<boolean> {
  const calls = callsOf(await claimTexts(ctx, vectors, attempts))
  for (const [at, call] of calls.entries()) {
    if (!isEnding() && (await embedCall(ctx, vectors, call))) continue
    const wait_seconds = isEnding() ? 0 : waitSeconds(attempts + 1)
    await store.updateFailed(ctx, { ...marked(calls.slice(at).flat()), wait_seconds })
    return isEnding()
  }
  return true
}

/** Those that need a vector: a text that is again what it was keeps the one it has. */
async function claimTexts(ctx: OutsideBrandCtx, model: store.Model, attempts: number): Promise<Pending[]> {
  const claimed = await store.claimDue(ctx, { attempts, limit: batchSize(attempts), lease_seconds })
  const marks = new Map(claimed.map(({ id, mark }) => [id, mark]))
  const found = await store.listTexts(ctx, [...marks.keys()], model)
  const all = found.map(({ id, embedded_hash, ...memory }) => {
    const text = embeddedText(memory)
    const hash = embeddedHash(text)
    return { id, mark: marks.get(id) ?? '', text, hash, isKnown: embedded_hash?.equals(hash) ?? false }
  })
  const known = all.filter(({ isKnown }) => isKnown)
  if (known.length > 0) await store.deleteQueued(ctx, marked(known))
  return all.filter(({ isKnown }) => !isKnown)
}

async function embedCall(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  pending: readonly Pending[],
): Promise<boolean> {
  const { model, dimension } = vectors
  const texts = pending.map(({ text }) => text)
  const embedded = await vectors
    .embed(ctx, texts, { kind: 'document', owner: String(ctx.brandId) })
    .catch(noneWhenAway)
  if (!embedded) return false
  await ctx.faultPoint('memory.embedded')
  const hashes = pending.map(({ hash }) => hash)
  await ctx.tx(async (ctx) => {
    const these = marked(pending)
    await store.lockMemories(ctx, these.ids)
    await store.insertVectors(ctx, { ...these, hashes, vectors: embedded, model, dimension })
    await ctx.faultPoint('memory.vectors')
  })
  return true
}

const marked = (pending: readonly store.Claimed[]) => ({
  ids: pending.map(({ id }) => id),
  marks: pending.map(({ mark }) => mark),
})

/**
 * After a change of the model: a bite of the way over all memories, to queue those without a vector of it. Returns whether
 * there was anything to do.
 */
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

const mostCounted = 100_000
export const getProgress = async (ctx: SystemCtx) =>
  (await store.countProgress(ctx, mostCounted)) ?? { embeddings_waiting: 0, embeddings_walked: 0 }
