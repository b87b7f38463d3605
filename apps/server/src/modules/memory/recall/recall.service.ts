import type { FoundMemory } from '@crewhall/contracts/memory/fields.ts'
import { findAgent } from '#modules/identity'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { type Found, listFound, type SearchQuery } from '../search/search.service.ts'
import { isTimeToAsk } from './rerank.rules.ts'

interface Choice {
  readonly agent_id: string
  readonly query: string
  readonly candidates: readonly FoundMemory[]
  readonly limit: number
  readonly budget_ms: number
}
/**
 * Orders candidates by their place in the list, the best first; undefined if it cannot, for whatever reason. Outside of
 * any transaction, because it waits for a model.
 */
export type Rerank = (ctx: OutsideBrandCtx, choice: Choice) => Promise<readonly number[] | undefined>

export interface RecallDeps {
  readonly vectors: TextVectors
  readonly rerank: Rerank
  /** For all of a recall, the search included. */
  readonly timeout_ms: number
}
export interface Recalled {
  readonly found: Found
  readonly is_reranked: boolean
}

/** MEMO-33: as many as a model can compare in one call. */
const mostCandidates = 100

/** MEMO-33 to MEMO-35. */
export async function recallMemories(
  ctx: OutsideBrandCtx,
  { vectors, rerank, timeout_ms }: RecallDeps,
  agent_id: string,
  wanted: SearchQuery & { query: string },
): Promise<Recalled> {
  const began = performance.now()
  await findAgent(ctx, agent_id)
  const { query, limit } = wanted
  const candidates = await listFound(ctx, vectors, agent_id, { ...wanted, limit: mostCandidates })
  const budget_ms = Math.floor(timeout_ms - (performance.now() - began))
  const isWorthAsking = candidates.length > 0 && isTimeToAsk(budget_ms, timeout_ms)
  const chosen = isWorthAsking
    ? await rerank(ctx, { agent_id, query, candidates, limit, budget_ms })
    : undefined
  const ordered = chosen?.flatMap((at) => candidates[at] ?? []) ?? candidates
  const memories = ordered.slice(0, limit)
  return { found: { memories, count: memories.length, agent_id }, is_reranked: chosen !== undefined }
}
