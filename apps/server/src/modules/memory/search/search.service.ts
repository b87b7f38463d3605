import { type FoundMemory, type MemoryKind, memoryKinds } from '@crewhall/contracts/memory/fields.ts'
import { findAgent } from '#modules/identity'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { noneWhenAway } from '../embeddings/embedding.service.ts'
import { presentFound } from './search.present.ts'
import { type Fused, fuse, isLowMatch, type ListName, typoWords } from './search.rules.ts'
import * as store from './search.store.ts'

export interface SearchQuery {
  readonly query?: string | undefined
  readonly kinds: readonly MemoryKind[]
  readonly limit: number
  readonly why?: boolean | undefined
  /** Of the query, where the caller has made it already; null where there is none. */
  readonly vector?: string | null | undefined
}
export interface Found {
  readonly memories: FoundMemory[]
  readonly count: number
  readonly agent_id: string
}

/** The refusal of another workspace's agent comes before everything that depends on the agent. */
export async function searchMemories(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  agent_id: string,
  wanted: SearchQuery,
): Promise<Found> {
  await findAgent(ctx, agent_id)
  const memories = await listFound(ctx, vectors, agent_id, wanted)
  return { memories, count: memories.length, agent_id }
}

/** Of an agent that is known to be the workspace's. */
export async function listFound(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  agent_id: string,
  { query = '', kinds, limit, why = false, vector }: SearchQuery,
): Promise<FoundMemory[]> {
  const now = ctx.now()
  // MEMO-G7: nothing to look for is the same as no query.
  if (query.trim() === '') {
    const rows = await store.listTop(ctx, { agent_id, kinds, limit })
    return rows.map((row) => presentFound(row, { now, is_low_match: false, ranks: why ? {} : undefined }))
  }
  const wanted = { agent_id, query, kinds, typo_words: typoWords(query) }
  const best = (await match(ctx, vectors, wanted, vector)).slice(0, limit)
  const ids = best.map(({ id }) => id)
  const rows = new Map(
    (await store.listFound(ctx, { agent_id, kinds, ids, query })).map((row) => [row.id, row]),
  )
  return best.flatMap(({ id, ranks }) => {
    const row = rows.get(id)
    if (!row) return []
    return [presentFound(row, { now, is_low_match: isLowMatch(row), ranks: why ? ranks : undefined })]
  })
}

/**
 * Ids of the memories of any kind that a statement may be about, the best first. It is compared word by word afterwards,
 * so nothing is done about words that are spelt wrong.
 */
export async function listAbout(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  agent_id: string,
  { query, limit, vector }: { query: string; limit: number; vector: string | null },
): Promise<string[]> {
  if (query.trim() === '') return []
  const wanted = { agent_id, query, kinds: memoryKinds, typo_words: [] }
  return (await match(ctx, vectors, wanted, vector)).slice(0, limit).map(({ id }) => id)
}

/** Of these, those that may be shown, in their order. */
export async function listByIds(
  ctx: OutsideBrandCtx,
  agent_id: string,
  ids: readonly string[],
): Promise<store.FoundRow[]> {
  if (ids.length === 0) return []
  const rows = await store.listFound(ctx, { agent_id, kinds: memoryKinds, ids, query: '' })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

interface Wanted {
  readonly agent_id: string
  readonly query: string
  readonly kinds: readonly MemoryKind[]
  readonly typo_words: readonly string[]
}

async function match(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  wanted: Wanted,
  made: string | null | undefined,
): Promise<Fused[]> {
  const [listed, nearest] = await Promise.all([
    store.listMatches(ctx, wanted),
    listNearest(ctx, vectors, wanted, made),
  ])
  const of = (name: ListName) => listed.filter(({ list }) => list === name)
  return fuse({ text: of('text'), trigram: of('trigram'), vector: nearest })
}

/** None while there is no vector of the query. */
async function listNearest(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  { query, typo_words: _, ...wanted }: Wanted,
  made: string | null | undefined,
) {
  const { model, dimension } = vectors
  const vector = made === undefined ? await vectorOf(ctx, vectors, query) : made
  if (vector === null) return []
  const nearness = { ...wanted, model, dimension, vector }
  const nearest = await store.listNearest(ctx, nearness)
  return store.areAllNear(nearest) ? nearest : store.listNearestOfAll(ctx, nearness)
}

/** Waited for a moment at most: then search goes by text. */
export async function vectorOf(
  ctx: OutsideBrandCtx,
  vectors: TextVectors,
  query: string,
): Promise<string | null> {
  if (!vectors.is_on) return null
  const owner = String(ctx.brandId)
  const embedded = await vectors.embed(ctx, [query], { kind: 'query', owner }).catch(noneWhenAway)
  return embedded?.[0] ?? null
}
