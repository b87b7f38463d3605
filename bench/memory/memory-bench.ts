import { startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import type { CheckLine } from './check-line.ts'
import { benchConversations, type ConversationSizes, shortSizes, wholeSizes } from './conversation-bench.ts'
import { type Corpus, readCorpus } from './corpus.ts'
import { beginVectors, finishVectors, openKnownVectors, queryVectors } from './corpus-vectors.ts'
import { devSet } from './dev-set.ts'
import { checkDevSet } from './dev-set-check.ts'
import { checkFailures, type FailureCounts } from './failure-check.ts'
import { checkDecay, checkUndo } from './integrity-check.ts'
import { checkIsolation } from './isolation-check.ts'
import { checkLatency, type LatencyOptions } from './latency-check.ts'
import { fillMany } from './many-memories.ts'
import { MemoryCaller, MemoryHost } from './memory-host.ts'
import { checkPlans } from './plan-check.ts'
import { checkQuality, loadCorpus } from './quality-check.ts'
import { checkReading } from './reading-check.ts'
import { checkRecall } from './recall-check.ts'

export interface MemoryOptions {
  /** How many subjects of the corpus; all of them if absent. */
  readonly subjects?: number
  readonly fuzzed: number
  readonly failures: FailureCounts
  readonly latency: LatencyOptions
  readonly conversations: ConversationSizes
  /** Names of checks; all of them if absent. */
  readonly only?: RegExp
}

export const whole: MemoryOptions = {
  fuzzed: 10_000,
  failures: { each: 142, slow_rounds: 1 },
  latency: {
    check: 'C6',
    sizes: { agents: 40, each: 2000, large: 20_000 },
    calls: 800,
    bars: { p95_ms: 80, p99_ms: 150, large_p95_ms: 200 },
    is_judged: true,
  },
  conversations: wholeSizes,
}
export const short: MemoryOptions = {
  subjects: 2,
  fuzzed: 200,
  failures: { each: 10, slow_rounds: 1 },
  latency: { ...whole.latency, sizes: { agents: 4, each: 100, large: 400 }, calls: 16, is_judged: false },
  conversations: shortSizes,
}
/** By itself, because filling takes minutes. A part of it shows that it runs. */
export const scaled = (part: number): LatencyOptions => ({
  check: 'scale',
  sizes: { agents: Math.ceil(10_000 * part), each: 90, large: Math.ceil(100_000 * part) },
  calls: 800,
  bars: { large_p95_ms: 250 },
  is_judged: part === 1,
})

/** One process by words and meaning, one by words alone, both with a model to rerank; no search is hurried. */
async function open() {
  const host = await MemoryHost.open()
  const model = await startStandInModel()
  const close = async () => {
    await host.close()
    await model.close()
  }
  try {
    const unlimited = { RECALL_DAILY_CALLS: '0', RECALL_DAILY_TOKENS: '0' }
    const llm = { LLM_URL: model.url, LLM_MODEL: 'stand-in', ...unlimited }
    const fused = await host.start({ EMBEDDINGS: 'offline', EMBEDDINGS_QUERY_TIMEOUT_MS: '60000', ...llm })
    const text = await host.start({ EMBEDDINGS: 'off', ...llm })
    return { host, model, fused, text, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** All acceptance checks of agent memory: search and its promises, then what becomes of conversations. */
export async function benchMemory(options: MemoryOptions): Promise<CheckLine[]> {
  const { only } = options
  const isWanted = ofSearch.some((name) => only?.test(name) !== false)
  return [
    ...(isWanted ? await benchSearch(options) : []),
    ...(await benchConversations(options.conversations, only)),
  ]
}

const ofSearch = [
  'quality',
  'recall',
  'developers',
  'failures',
  'latency',
  'reading',
  'undo',
  'isolation',
  'decay',
] as const

/** On one database, in the order in which they do not disturb each other. */
async function benchSearch(options: MemoryOptions): Promise<CheckLine[]> {
  const { latency } = options
  const complete = readCorpus()
  const corpus = sampleOf(complete, options.subjects)
  const dev = devSet(complete)
  const known = openKnownVectors()
  const { host, model, fused, text, close } = await open()
  const lines: CheckLine[] = []
  const took = async (name: (typeof ofSearch)[number], work: () => Promise<CheckLine | CheckLine[]>) => {
    if (options.only?.test(name) === false) return
    const began = performance.now()
    lines.push(...[await work()].flat())
    console.error(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  }
  try {
    const workspace = await host.workspace()
    const caller = new MemoryCaller(fused, workspace)
    const callers = { fused: caller, text: new MemoryCaller(text, workspace) }
    const loaded = await loadCorpus(host, workspace, caller, [...corpus.memories, ...dev.memories])
    await beginVectors(host, loaded, known)
    const vectors = await queryVectors(corpus.queries, known)
    lines.push(await finishVectors(host, loaded, known))
    const { is_judged } = latency
    await took('quality', () => checkQuality(host, callers, loaded, corpus, vectors, is_judged))
    await took('recall', () => checkRecall(host, callers, model, loaded, corpus, is_judged))
    await took('developers', () => checkDevSet(caller, loaded, dev, corpus))
    await took('failures', () => checkFailures(caller, model, corpus.queries, options.failures))
    await took('latency', async () => {
      const many = await host.workspace()
      await fillMany(host, many, corpus, loaded, latency.sizes)
      return checkLatency(host, many, new MemoryCaller(fused, many), model, corpus, vectors, latency)
    })
    await took('reading', () => checkReading(host, workspace, caller))
    await took('undo', () => checkUndo(caller, corpus.memories[0]?.agent ?? ''))
    await took('isolation', () => checkIsolation(host, fused, options.fuzzed))
    await took('decay', () => checkDecay(host, workspace))
    return lines
  } finally {
    await close()
  }
}

/** A million memories over ten thousand agents, and one agent with a hundred thousand of them. */
export async function benchMemoryScale(options: LatencyOptions): Promise<CheckLine[]> {
  const corpus = readCorpus()
  const known = openKnownVectors()
  const { host, model, fused, close } = await open()
  try {
    const workspace = await host.workspace()
    const caller = new MemoryCaller(fused, workspace)
    const loaded = await loadCorpus(host, workspace, caller, corpus.memories)
    await beginVectors(host, loaded, known)
    const vectors = await queryVectors(corpus.queries, known)
    await finishVectors(host, loaded, known)
    const many = await host.workspace()
    const began = performance.now()
    const count = await fillMany(host, many, corpus, loaded, options.sizes)
    console.error(`${count} memories were written in ${((performance.now() - began) / 1000).toFixed(0)} s`)
    const asked = corpus.queries
      .filter((_, at) => at % 44 === 0)
      .map(({ query }) => ({ agent: '', query, vector: vectors.get(query) ?? '' }))
    return [
      ...(await checkLatency(host, many, new MemoryCaller(fused, many), model, corpus, vectors, options)),
      ...(await checkPlans(host, many, options.sizes, asked)),
    ]
  } finally {
    await close()
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
