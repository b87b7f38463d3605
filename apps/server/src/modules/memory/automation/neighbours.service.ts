import { type MemoryKind, memoryKinds } from '@crewhall/contracts/memory/fields.ts'
import { findAgent } from '#modules/identity'
import type { BrandCtx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { embeddedText } from '../embeddings/embedding.rules.ts'
import { noneWhenAway } from '../embeddings/embedding.service.ts'
import { type Draft, normalisedText } from '../memories/change.rules.ts'
import { listAbout, listByIds, listFound } from '../search/search.service.ts'
import type { Surroundings } from './automation.service.ts'
import { listOwn } from './automation.store.ts'

export interface Neighbour {
  readonly id: string
  readonly kind: MemoryKind
  readonly title: string
  readonly body: string
}
const mostTexts = 20
const mostNeighbours = 30
const ofEachText = 8
const longestQuery = 2000
/** The beginning says what a message is about, and a model that comes with the server is slow. */
const longestEmbedded = 300

/** Memories that may be what these texts are about, for a prompt. Searched one after the other, each text as a query. */
export async function listNeighbours(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  agent_id: string,
  texts: readonly string[],
): Promise<Neighbour[]> {
  await findAgent(ctx, agent_id)
  if (vectors.is_on) {
    // Each text is near to something, so a search for several of them finds nearly all of a few.
    const all = await listFound(ctx, vectors, agent_id, { kinds: memoryKinds, limit: mostNeighbours + 1 })
    if (all.length <= mostNeighbours) return all.map(neighbourOf)
  }
  const asked = texts.slice(0, mostTexts)
  const made = await embedded(
    ctx,
    vectors,
    asked.map((text) => text.slice(0, longestEmbedded)),
  )
  const lists: string[][] = []
  for (const [at, text] of asked.entries())
    lists.push(await searched(ctx, vectors, agent_id, text, made?.[at]))
  // The best of each text first: there is not room for all of all of them.
  const ids = new Set<string>()
  for (let rank = 0; rank < ofEachText; rank += 1)
    for (const list of lists) {
      const id = list[rank]
      if (id !== undefined) ids.add(id)
    }
  const found = await listByIds(ctx, agent_id, [...ids].slice(0, mostNeighbours))
  return found.map(neighbourOf)
}

const neighbourOf = ({ id, kind, title, body }: Neighbour): Neighbour => ({ id, kind, title, body })

/** For each draft what it has to be compared with. Slow, so it stands outside of the transaction that writes. */
export async function lookAround(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  agent_id: string,
  drafts: readonly Draft[],
): Promise<Surroundings[]> {
  const { model, dimension } = vectors
  const made = await embedded(ctx, vectors, drafts.map(embeddedText))
  const around: Surroundings[] = []
  for (const [at, draft] of drafts.entries()) {
    const vector = made?.[at]
    around.push({
      near_ids: await searched(ctx, vectors, agent_id, `${draft.title}\n${draft.body}`, vector),
      vector: vector === undefined ? null : { model, dimension, vector },
    })
  }
  return around
}

/**
 * As documents, all at once: nobody waits for it, so it must not stand before the queries of those who do. What is compared
 * are statements on both sides.
 */
const embedded = async (ctx: OutsideBrandCtx, vectors: TextVectors, texts: readonly string[]) =>
  vectors.is_on && texts.length > 0
    ? vectors.embed(ctx, texts, { kind: 'document', owner: String(ctx.brandId) }).catch(noneWhenAway)
    : undefined

const searched = (
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  agent_id: string,
  text: string,
  vector: string | undefined,
): Promise<string[]> =>
  listAbout(ctx, vectors, agent_id, {
    query: text.slice(0, longestQuery),
    limit: ofEachText,
    vector: vector ?? null,
  })

export interface OwnTexts {
  readonly memory_ids: ReadonlySet<string>
  /** Without case and blanks. */
  readonly texts: readonly string[]
}
/** The best: what is recalled and written into MEMORY.md is among them. Each has 2,000 characters here at most. */
const mostOwn = 1000

/** What an agent may have been told by us: it is no news when it says so. */
export async function listOwnTexts(ctx: BrandCtx, agent_id: string): Promise<OwnTexts> {
  const rows = await listOwn(ctx, agent_id, mostOwn)
  return { memory_ids: new Set(rows.map(({ id }) => id)), texts: rows.map(normalisedText) }
}
