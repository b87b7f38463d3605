import { codeNamedIn, type NamedCode, namesIn } from '#modules/code-index'
import type { BrandTx, OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import * as store from './code-links.store.ts'

/** Memories of one workspace at a time; then it is another one's turn. */
const bite = 50
const mostBites = 10

interface Looked {
  readonly id: string
  readonly mentions: readonly string[]
  readonly code: readonly NamedCode[]
}

/**
 * Links memories to the code that they name, in the background: those whose text is new, and all of a workspace after an
 * index has become visible. Two processes may look at the same ones, and the second finds nothing to write.
 */
export class Linker {
  #after = { queued: 0, walking: 0 }
  #isEnding = false

  end(): void {
    this.#isEnding = true
  }

  async look(ctx: OutsideSystemCtx): Promise<void> {
    for (let n = 0; n < mostBites && !this.#isEnding; n += 1) {
      const queued = await this.#next('queued', (after) => store.findQueuedBrand(ctx, after))
      if (queued !== undefined) await linkQueued(ctx.forBrand(queued))
      const walking = await this.#next('walking', (after) => store.findWalkingBrand(ctx, after))
      if (walking !== undefined) await walkOn(ctx.forBrand(walking))
      if (queued === undefined && walking === undefined) return
    }
  }

  async #next(kind: 'queued' | 'walking', find: (after: number) => Promise<number | undefined>) {
    const found = (await find(this.#after[kind])) ?? (await find(0))
    this.#after = { ...this.#after, [kind]: found ?? 0 }
    return found
  }
}

async function linkQueued(ctx: OutsideBrandCtx): Promise<void> {
  const before = await store.findWalk(ctx)
  const texts = await store.listQueued(ctx, bite)
  const looked = await lookAt(ctx, texts)
  await ctx.faultPoint('memory.code-looked')
  await ctx.tx(async (ctx) => {
    // Another index since: what was found may be gone.
    if ((await store.lockWalk(ctx))?.shown !== (before?.shown ?? '0')) return
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

async function walkOn(ctx: OutsideBrandCtx): Promise<void> {
  const before = await store.findWalk(ctx)
  if (!before) return
  const texts = await store.listAfter(ctx, before.at_memory, bite)
  const looked = await lookAt(ctx, texts)
  await ctx.tx(async (ctx) => {
    const now = await store.lockWalk(ctx)
    if (now?.shown !== before.shown || now.at_memory !== before.at_memory) return
    const held = await store.lockMemories(
      ctx,
      texts.map(({ id }) => id),
    )
    await write(
      ctx,
      looked.filter(({ id }) => held.includes(id)),
    )
    await store.updateWalk(ctx, stepOf(now, texts))
  })
}

const start = '00000000-0000-0000-0000-000000000000'

/** An index that becomes visible during a walk lets another one follow. */
function stepOf({ shown, walked, target, at_memory }: store.Walk, texts: readonly store.MemoryText[]) {
  const from = at_memory === start ? shown : target
  const last = texts.at(-1)
  return last && texts.length === bite
    ? { walked, target: from, at_memory: last.id }
    : { walked: from, target: from, at_memory: start }
}

/** One after another: nobody waits for it, and others need the connections. */
async function lookAt(ctx: OutsideBrandCtx, texts: readonly store.MemoryText[]): Promise<Looked[]> {
  const looked: Looked[] = []
  for (const { id, title, body } of texts) {
    const code = await codeNamedIn(ctx, [title, body], null)
    looked.push({ id, mentions: namesIn([title, body]).map(({ text }) => text), code })
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
