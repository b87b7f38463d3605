import { memoryKinds } from '@crewhall/contracts/memory/fields.ts'
import * as store from '@crewhall/server/modules/memory/search/search.store.ts'
import type { BrandCtx } from '@crewhall/server/platform/ctx/ctx.ts'
import { onlySentBy } from '@crewhall/testkit/sent-statements.ts'
import type pg from 'pg'
import { type CheckLine, ms, percentile } from './check-line.ts'
import type { Corpus } from './corpus.ts'
import { agentName, largeAgent, type Sizes } from './many-memories.ts'
import { atOnce, type MemoryCaller, type MemoryHost, type Workspace } from './memory-host.ts'

const clients = 8

interface Asked {
  readonly agent: string
  readonly query: string
}

export interface LatencyOptions {
  readonly check: string
  readonly sizes: Sizes
  readonly calls: number
  readonly bars: { readonly p95_ms: number; readonly p99_ms?: number; readonly large_p95_ms: number }
  /** Short runs show errors and no figures. */
  readonly is_judged: boolean
}

/** C6, C7 and scale: ours beside the statements of the same search, sent by the driver alone. */
export async function checkLatency(
  host: MemoryHost,
  workspace: Workspace,
  caller: MemoryCaller,
  { queries }: Corpus,
  { check, sizes, calls, bars, is_judged }: LatencyOptions,
): Promise<CheckLine[]> {
  const pool = host.bare(workspace, clients)
  const asked = Array.from({ length: calls }, (_, n): Asked => {
    const query = queries[(n * 17) % queries.length]?.query ?? ''
    return { agent: agentName((n * 7919) % sizes.agents), query }
  })
  const toLarge = asked
    .slice(0, Math.max(8, Math.floor(calls / 4)))
    .map(({ query }) => ({ agent: largeAgent, query }))
  const count = sizes.agents * sizes.each + sizes.large
  const lines: CheckLine[] = []
  for (const { what, list, p95_ms, p99_ms } of [
    { what: `search in ${sizes.agents} agents, ${count} memories in all`, list: asked, ...bars },
    {
      what: `search in an agent with ${sizes.large} memories`,
      list: toLarge,
      p95_ms: bars.large_p95_ms,
      p99_ms: undefined,
    },
  ]) {
    const { ours, bare } = await measure(list, workspace, caller, pool)
    const [p95, p99, bareP95] = [percentile(ours, 0.95), percentile(ours, 0.99), percentile(bare, 0.95)]
    lines.push({
      check,
      what: `${what}, ${clients} clients`,
      measured: `p50 ${ms(percentile(ours, 0.5))}, p95 ${ms(p95)}, p99 ${ms(p99)} ms; bare p95 ${ms(bareP95)} ms: ${(p95 / bareP95).toFixed(2)} times`,
      bar: `p95 ${p95_ms}${p99_ms === undefined ? '' : `, p99 ${p99_ms}`} ms, twice the bare`,
      ...(is_judged ? { is_met: p95 <= p95_ms && p99 <= (p99_ms ?? Infinity) && p95 <= 2 * bareP95 } : {}),
    })
  }
  return [...lines, await checkRepeated(caller, asked, is_judged)]
}

/** Turn by turn, so that a busy moment of the machine hits both. */
async function measure(list: readonly Asked[], workspace: Workspace, caller: MemoryCaller, pool: pg.Pool) {
  const ours: number[] = []
  const bare: number[] = []
  const size = Math.ceil(list.length / 4)
  for (let at = -size; at < list.length; at += size) {
    // The first part warms up, by what comes last.
    const part = list.slice(at < 0 ? -size : at, at < 0 ? undefined : at + size)
    const times = { ours: [] as number[], bare: [] as number[] }
    await atOnce(clients, part, async ({ agent, query }) => {
      const response = await caller.search(agent, { query })
      if (response.status !== 200) throw new Error(`a search returned ${response.status}: ${response.text}`)
      times.ours.push(response.ms)
    })
    await atOnce(clients, part, async (each) => {
      const began = performance.now()
      await searchBare(pool, workspace, each)
      times.bare.push(performance.now() - began)
    })
    if (at < 0) continue
    ours.push(...times.ours)
    bare.push(...times.bare)
  }
  return { ours, bare }
}

async function searchBare(pool: pg.Pool, { brand_id }: Workspace, { agent, query }: Asked): Promise<void> {
  const typo_words = (query.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).slice(0, 6)
  const wanted = { agent_id: agent, kinds: memoryKinds, query, typo_words }
  const lists = onlySentBy(brand_id, (ctx: BrandCtx) => store.listMatches(ctx, wanted))
  const { rows } = await pool.query<{ id: string }>(lists)
  const ids = rows.slice(0, 10).map(({ id }) => id)
  const page = onlySentBy(brand_id, (ctx: BrandCtx) => store.listFound(ctx, { ...wanted, ids }))
  await pool.query(page)
}

/** C7: the vector of a query is computed once. */
async function checkRepeated(
  caller: MemoryCaller,
  asked: readonly Asked[],
  is_judged: boolean,
): Promise<CheckLine> {
  const times: number[] = []
  for (const { agent, query } of asked.slice(0, 100)) {
    await caller.search(agent, { query })
    times.push((await caller.search(agent, { query })).ms)
  }
  const p95 = percentile(times, 0.95)
  return {
    check: 'C7',
    what: 'the same search again, one client',
    measured: `p50 ${ms(percentile(times, 0.5))}, p95 ${ms(p95)} ms`,
    bar: 'p95 20 ms',
    ...(is_judged ? { is_met: p95 <= 20 } : {}),
  }
}
