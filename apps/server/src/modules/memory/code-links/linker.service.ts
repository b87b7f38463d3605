import { codeNamedIn, keysOfMention, type NamedCode, namesIn } from '#modules/code-index'
import type { BrandTx, OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import { queueChanged } from './changed-code.service.ts'
import { findChangedBrand } from './changed-code.store.ts'
import * as store from './code-links.store.ts'

/** Memories of one workspace at a time; then it is another one's turn. */
const bite = 50
const mostBites = 10

interface Looked {
  readonly id: string
  readonly mentions: readonly string[]
  readonly keys: readonly string[]
  readonly code: readonly NamedCode[]
}

/**
 * Links memories to the code that they name, in the background: those whose text is new, and those that name something an
 * index has changed. Two processes may look at the same ones, and the second finds nothing to write.
 */
export class Linker {
  #after = { queued: 0, changed: 0 }
  #isEnding = false

  end(): void {
    this.#isEnding = true
  }

  async look(ctx: OutsideSystemCtx): Promise<void> {
    for (let n = 0; n < mostBites && !this.#isEnding; n += 1) {
      const changed = await this.#next('changed', (after) => findChangedBrand(ctx, after))
      if (changed !== undefined) await queueChanged(ctx.forBrand(changed))
      const queued = await this.#next('queued', (after) => store.findQueuedBrand(ctx, after))
      if (queued !== undefined) await linkQueued(ctx.forBrand(queued))
      if (queued === undefined && changed === undefined) return
    }
  }

  async #next(kind: 'queued' | 'changed', find: (after: number) => Promise<number | undefined>) {
    const found = (await find(this.#after[kind])) ?? (await find(0))
    this.#after = { ...this.#after, [kind]: found ?? 0 }
    return found
  }
}

async function linkQueued(ctx: OutsideBrandCtx): Promise<void> {
  const before = await store.countShown(ctx)
  const texts = await store.listQueued(ctx, bite)
  const looked = await lookAt(ctx, texts)
  await ctx.faultPoint('memory.code-looked')
  await ctx.tx(async (ctx) => {
    // Another index since: what was found may be gone.
    if ((await store.lockShown(ctx)) !== before) return
    const held = await store.lockMemories(
      ctx,
      texts.map(({ id }) => id),
    )
    const done = await store.deleteQueued(
      ctx,
      texts.filter(({ id }) => held.includes(id)),
    )
    await write(
      ctx,
      looked.filter(({ id }) => done.includes(id)),
    )
  })
}

/** One after another: nobody waits for it, and others need the connections. */
async function lookAt(ctx: OutsideBrandCtx, texts: readonly store.MemoryText[]): Promise<Looked[]> {
  const looked: Looked[] = []
  for (const { id, title, body } of texts) {
    const code = await codeNamedIn(ctx, [title, body], null)
    const names = namesIn([title, body])
    const keys = [...new Set(names.flatMap(keysOfMention))]
    looked.push({ id, mentions: names.map(({ text }) => text), keys, code })
  }
  return looked
}

/** What a memory does not name any more goes; what it names and what was removed stays. */
async function write(ctx: BrandTx, looked: readonly Looked[]): Promise<void> {
  if (looked.length === 0) return
  const named = looked.flatMap(({ id, mentions }) => mentions.map((mention) => ({ id, mention })))
  await store.deleteUnnamed(ctx, {
    ids: looked.map(({ id }) => id),
    kept_ids: named.map(({ id }) => id),
    kept: named.map(({ mention }) => mention),
  })
  const keys = looked.flatMap(({ id, keys }) => keys.map((key) => ({ id, key })))
  await store.replaceMentions(
    ctx,
    looked.map(({ id }) => id),
    { memory_ids: keys.map(({ id }) => id), keys: keys.map(({ key }) => key) },
  )
  const links = looked.flatMap(({ id, code }) => code.map((each) => ({ memory_id: id, ...each })))
  if (links.length === 0) return
  await store.insertLinks(ctx, {
    memory_ids: links.map(({ memory_id }) => memory_id),
    mentions: links.map(({ mention }) => mention),
    project_ids: links.map(({ project_id }) => project_id),
    nids: links.map(({ nid }) => nid),
    node_ids: links.map(({ node_id }) => node_id),
    kinds: links.map(({ kind }) => kind),
    paths: links.map(({ path }) => path),
    symbols: links.map(({ symbol }) => symbol),
  })
}
