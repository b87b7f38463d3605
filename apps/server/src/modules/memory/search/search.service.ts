import type { FoundMemory, MemoryKind } from '@crewhall/contracts/memory/fields.ts'
import { findAgent } from '#modules/identity'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { presentFound } from './search.present.ts'
import { type Fused, fuse, isLowMatch, listNames, typoWords } from './search.rules.ts'
import * as store from './search.store.ts'

export interface SearchQuery {
  readonly query?: string | undefined
  readonly kinds: readonly MemoryKind[]
  readonly limit: number
  readonly why?: boolean | undefined
}
export interface Found {
  readonly memories: FoundMemory[]
  readonly count: number
  readonly agent_id: string
}

/** The refusal of another workspace's agent comes before everything that depends on the agent. */
export async function searchMemories(ctx: BrandCtx, agent_id: string, wanted: SearchQuery): Promise<Found> {
  await findAgent(ctx, agent_id)
  const memories = await listFound(ctx, agent_id, wanted)
  return { memories, count: memories.length, agent_id }
}

/** Of an agent that is known to be the workspace's. */
export async function listFound(
  ctx: BrandCtx,
  agent_id: string,
  { query = '', kinds, limit, why = false }: SearchQuery,
): Promise<FoundMemory[]> {
  const now = ctx.now()
  // MEMO-G7: nothing to look for is the same as no query.
  if (query.trim() === '') {
    const rows = await store.listTop(ctx, { agent_id, kinds, limit })
    return rows.map((row) => presentFound(row, { now, is_low_match: false, ranks: why ? {} : undefined }))
  }
  const best = (await match(ctx, agent_id, query, kinds)).slice(0, limit)
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

async function match(
  ctx: BrandCtx,
  agent_id: string,
  query: string,
  kinds: readonly MemoryKind[],
): Promise<Fused[]> {
  const listed = await store.listMatches(ctx, { agent_id, query, kinds, typo_words: typoWords(query) })
  const lists = listNames.map((name) => [name, listed.filter(({ list }) => list === name)])
  return fuse(Object.fromEntries(lists))
}
