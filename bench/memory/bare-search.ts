import { memoryKinds } from '@crewhall/contracts/memory/fields.ts'
import * as store from '@crewhall/server/modules/memory/search/search.store.ts'
import type { BrandCtx } from '@crewhall/server/platform/ctx/ctx.ts'
import { onlySentBy, type SentStatement } from '@crewhall/testkit/sent-statements.ts'
import type pg from 'pg'
import { dimension, modelName } from './corpus-vectors.ts'
import type { Workspace } from './memory-host.ts'

export interface Asked {
  readonly agent: string
  readonly query: string
  /** Of the query, as Postgres reads it. */
  readonly vector: string
}

/** What a search sends before it knows any id. */
export function lookups({ brand_id }: Workspace, { agent, query, vector }: Asked) {
  const long = new Set(query.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? [])
  const typo_words = [...long].toSorted((a, b) => b.length - a.length).slice(0, 6)
  const wanted = { agent_id: agent, kinds: memoryKinds }
  const sent = (call: (ctx: BrandCtx) => unknown): SentStatement => onlySentBy(brand_id, call)
  return {
    words: sent((ctx) => store.listMatches(ctx, { ...wanted, query, typo_words })),
    meaning: sent((ctx) => store.listNearest(ctx, { ...wanted, model: modelName, dimension, vector })),
    page: (ids: readonly string[]) => sent((ctx) => store.listFound(ctx, { ...wanted, ids, query })),
  }
}

/** The statements of a search, sent by the driver alone. */
export async function searchBare(
  pool: pg.Pool,
  workspace: Workspace,
  asked: Asked,
  limit = 10,
): Promise<void> {
  const { words, meaning, page } = lookups(workspace, asked)
  const [byWords, byMeaning] = await Promise.all([
    pool.query<{ id: string }>(words),
    pool.query<{ id: string }>(meaning),
  ])
  const ids = [...byMeaning.rows, ...byWords.rows].map(({ id }) => id)
  await pool.query(page([...new Set(ids)].slice(0, limit)))
}
