import type { CheckLine } from './check-line.ts'
import { type Corpus, readCorpus } from './corpus.ts'
import { checkDecay, checkUndo } from './integrity-check.ts'
import { checkIsolation } from './isolation-check.ts'
import { checkLatency, type LatencyOptions } from './latency-check.ts'
import { fillMany } from './many-memories.ts'
import { MemoryCaller, MemoryHost } from './memory-host.ts'
import { checkQuality, loadCorpus } from './quality-check.ts'
import { checkReading } from './reading-check.ts'

export interface MemoryOptions {
  /** How many subjects of the corpus; all of them if absent. */
  readonly subjects?: number
  readonly fuzzed: number
  readonly latency: Omit<LatencyOptions, 'check'>
}

export const whole: MemoryOptions = {
  fuzzed: 10_000,
  latency: {
    sizes: { agents: 40, each: 2000, large: 20_000 },
    calls: 1600,
    bars: { p95_ms: 80, p99_ms: 150, large_p95_ms: 200 },
    is_judged: true,
  },
}
export const short: MemoryOptions = {
  subjects: 2,
  fuzzed: 400,
  latency: { ...whole.latency, sizes: { agents: 10, each: 200, large: 2000 }, calls: 64, is_judged: false },
}
/** By itself, because filling takes minutes. */
export const scale: LatencyOptions = {
  check: 'scale',
  sizes: { agents: 10_000, each: 90, large: 100_000 },
  calls: 1600,
  bars: { p95_ms: Number.POSITIVE_INFINITY, large_p95_ms: 250 },
  is_judged: true,
}

/** Acceptance checks of agent memory on one database, in the order in which they do not disturb each other. */
export async function benchMemory({ subjects, fuzzed, latency }: MemoryOptions): Promise<CheckLine[]> {
  const corpus = sampleOf(readCorpus(), subjects)
  const host = await MemoryHost.open()
  const lines: CheckLine[] = []
  const took = async (name: string, work: () => Promise<CheckLine | CheckLine[]>) => {
    const began = performance.now()
    lines.push(...[await work()].flat())
    console.error(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  }
  try {
    const fused = await host.start({ EMBEDDINGS: 'offline', EMBEDDINGS_QUERY_TIMEOUT_MS: '60000' })
    const text = await host.start({ EMBEDDINGS: 'off' })
    const workspace = await host.workspace()
    const caller = new MemoryCaller(fused, workspace)
    await took('quality', async () => {
      const loaded = await loadCorpus(host, workspace, caller, corpus.memories)
      const servers = { fused: caller, text: new MemoryCaller(text, workspace) }
      return checkQuality(host, servers, loaded, corpus, latency.is_judged)
    })
    await took('reading', () => checkReading(host, workspace, caller))
    await took('undo', () => checkUndo(caller, corpus.memories[0]?.agent ?? ''))
    await took('isolation', () => checkIsolation(host, fused, fuzzed))
    await took('latency', async () => {
      const many = await host.workspace()
      await fillMany(host, many, corpus, latency.sizes)
      return checkLatency(host, many, new MemoryCaller(fused, many), corpus, { check: 'C6', ...latency })
    })
    await took('decay', () => checkDecay(host, workspace))
    return lines
  } finally {
    await host.close()
  }
}

/** A million memories over ten thousand agents, and one agent with a hundred thousand of them. */
export async function benchMemoryScale(options: LatencyOptions): Promise<CheckLine[]> {
  const corpus = readCorpus()
  const host = await MemoryHost.open()
  try {
    const server = await host.start({ EMBEDDINGS: 'offline', EMBEDDINGS_QUERY_TIMEOUT_MS: '60000' })
    const workspace = await host.workspace()
    const began = performance.now()
    const count = await fillMany(host, workspace, corpus, options.sizes)
    console.error(`${count} memories were written in ${((performance.now() - began) / 1000).toFixed(0)} s`)
    return await checkLatency(host, workspace, new MemoryCaller(server, workspace), corpus, options)
  } finally {
    await host.close()
  }
}

/** All of it, or a few subjects of one agent: with their neighbours, or search would have nothing to choose from. */
function sampleOf(corpus: Corpus, subjects: number | undefined): Corpus {
  if (subjects === undefined) return corpus
  const memories = corpus.memories.slice(0, subjects * 24)
  const known = new Set(memories.map(({ id }) => id))
  const agents = new Set(memories.map(({ agent }) => agent))
  return {
    memories,
    queries: corpus.queries.filter(({ answers }) => answers.every((id) => known.has(id))),
    unanswerable: corpus.unanswerable.filter(({ agent }) => agents.has(agent)),
  }
}
