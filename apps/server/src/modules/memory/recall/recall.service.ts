import type { FoundMemory } from '@crewhall/contracts/memory/fields.ts'
import { findAgent } from '#modules/identity'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { type Found, listFound, type SearchQuery } from '../search/search.service.ts'

/**
 * Chooses among candidates by their place in the list, the best first; undefined if it cannot, for whatever reason.
 * Outside of any transaction, because it waits for a model.
 */
export type Rerank = (
  query: string,
  candidates: readonly FoundMemory[],
  limit: number,
) => Promise<readonly number[] | undefined>

export interface Recalled {
  readonly found: Found
  readonly is_reranked: boolean
}

/** MEMO-33: as many as a model can compare in one call. */
const mostCandidates = 100

/** MEMO-33 to MEMO-35. */
export async function recallMemories(
  ctx: BrandCtx,
  rerank: Rerank | undefined,
  agent_id: string,
  wanted: SearchQuery & { query: string },
): Promise<Recalled> {
  await findAgent(ctx, agent_id)
  const { query, limit } = wanted
  const candidates = await listFound(ctx, agent_id, { ...wanted, limit: mostCandidates })
  const chosen = candidates.length === 0 ? undefined : await rerank?.(query, candidates, limit)
  const ordered = chosen?.flatMap((at) => candidates[at] ?? []) ?? candidates
  const memories = ordered.slice(0, limit)
  return { found: { memories, count: memories.length, agent_id }, is_reranked: chosen !== undefined }
}
