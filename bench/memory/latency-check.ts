import type { StandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { type Asked, searchBare } from './bare-search.ts'
import { type CheckLine, ms, percentile } from './check-line.ts'
import type { Corpus } from './corpus.ts'
import { agentName, largeAgent, type Sizes } from './many-memories.ts'
import { atOnce, type MemoryCaller, type MemoryHost, type Response_, type Workspace } from './memory-host.ts'

const clients = 8
/** Different questions; the built-in model makes the vectors of all of them before anything is measured. */
const questions = 200
const modelMs = 50
/** Of one part of a series, so that a busy machine makes figures of fewer calls and not a longer run. */
const longestPartMs = 8000
const warmUpMs = 2000

export interface LatencyOptions {
  readonly check: string
  readonly sizes: Sizes
  readonly calls: number
  readonly bars: { readonly p95_ms?: number; readonly p99_ms?: number; readonly large_p95_ms: number }
  /** Short runs show errors and no figures. */
  readonly is_judged: boolean
}

interface Measured {
  readonly ours: readonly number[]
  readonly bare: readonly number[]
}
type Send = (asked: Asked) => Promise<Response_>

/** C6, C7 and scale: ours beside the statements of the same search, sent by the driver alone. */
export async function checkLatency(
  host: MemoryHost,
  workspace: Workspace,
  caller: MemoryCaller,
  model: StandInModel,
  { queries }: Corpus,
  vectors: ReadonlyMap<string, string>,
  { check, sizes, calls, bars, is_judged }: LatencyOptions,
): Promise<CheckLine[]> {
  const pool = host.bare(workspace, 2 * clients)
  const step = Math.max(1, Math.floor(queries.length / questions))
  const some = queries.filter((_, at) => at % step === 0).slice(0, questions)
  const asked = Array.from({ length: calls }, (_, n): Asked => {
    const query = some[(n * 17) % some.length]?.query ?? ''
    return { agent: agentName((n * 7919) % sizes.agents), query, vector: vectors.get(query) ?? '' }
  })
  const toLarge = asked.slice(0, Math.max(8, calls / 4)).map((each) => ({ ...each, agent: largeAgent }))
  const search: Send = ({ agent, query }) => caller.search(agent, { query })
  const recall: Send = ({ agent, query }) => caller.recall(agent, query, 20)
  const bare = (each: Asked) => searchBare(pool, workspace, each)
  const bareRecall = async (each: Asked) => {
    await searchBare(pool, workspace, each, 100)
    await new Promise((done) => setTimeout(done, modelMs))
  }
  model.reset()
  model.delay_ms = modelMs
  model.answer = () => ({ ids: [2, 1] })
  await atOnce(clients, some, async ({ query }) => {
    await search({ agent: agentName(0), query, vector: '' })
  })
  const count = sizes.agents * sizes.each + sizes.large
  const of = (what: string, measured: Measured, p95_ms?: number, p99_ms?: number) =>
    lineOf({ check, what: `${what}, ${clients} clients`, measured, p95_ms, p99_ms, is_judged })
  return [
    of(
      `search in ${sizes.agents} agents, ${count} memories in all`,
      await measure(asked, search, bare),
      bars.p95_ms,
      bars.p99_ms,
    ),
    of(
      `search in an agent with ${sizes.large} memories`,
      await measure(toLarge, search, bare),
      bars.large_p95_ms,
    ),
    of(
      `recall with a model that takes ${modelMs} ms`,
      await measure(asked.slice(0, Math.max(8, calls / 2)), recall, bareRecall),
      250,
    ),
    await checkNew(caller, asked.slice(0, clients * 8)),
    await checkRepeated(asked.slice(0, 100), search, bare, is_judged),
  ]
}

function lineOf({
  check,
  what,
  measured: { ours, bare },
  p95_ms,
  p99_ms,
  is_judged,
}: {
  check: string
  what: string
  measured: Measured
  p95_ms: number | undefined
  p99_ms: number | undefined
  is_judged: boolean
}): CheckLine {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => percentile(ours, part)) as [number, number, number]
  const bareP95 = percentile(bare, 0.95)
  const limits = [p95_ms && `p95 ${p95_ms} ms`, p99_ms && `p99 ${p99_ms} ms`, 'twice the bare p95']
  const is_met = p95 <= (p95_ms ?? Infinity) && p99 <= (p99_ms ?? Infinity) && p95 <= 2 * bareP95
  return {
    check,
    what,
    measured: `${ours.length} calls: p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)} ms; bare p95 ${ms(bareP95)} ms: ${(p95 / bareP95).toFixed(2)} times`,
    bar: limits.filter(Boolean).join(', '),
    ...(is_judged ? { is_met } : { informational: 'small sizes' }),
  }
}

/** Turn by turn, so that a busy moment of the machine hits both. */
async function measure(
  list: readonly Asked[],
  send: Send,
  sendBare: (asked: Asked) => Promise<void>,
  width = clients,
): Promise<Measured> {
  const ours: number[] = []
  const bare: number[] = []
  const size = Math.ceil(list.length / 4)
  for (let at = -size; at < list.length; at += size) {
    // The first part warms up, by what comes last.
    const part = list.slice(at < 0 ? -size : at, at < 0 ? undefined : at + size)
    const times = { ours: [] as number[], bare: [] as number[] }
    const limitMs = at < 0 ? warmUpMs : longestPartMs
    let until = performance.now() + limitMs
    await atOnce(width, part, async (each) => {
      if (performance.now() > until) return
      const { status, text, ms } = await send(each)
      if (status !== 200) throw new Error(`a call returned ${status}: ${text.slice(0, 500)}`)
      times.ours.push(ms)
    })
    until = performance.now() + limitMs
    await atOnce(width, part, async (each) => {
      if (performance.now() > until) return
      const began = performance.now()
      await sendBare(each)
      times.bare.push(performance.now() - began)
    })
    if (at < 0) continue
    ours.push(...times.ours)
    bare.push(...times.bare)
  }
  return { ours, bare }
}

/** The part of a search that is not cached: 8 clients wait for one thread with the built-in model. */
async function checkNew(caller: MemoryCaller, asked: readonly Asked[]): Promise<CheckLine> {
  const times: number[] = []
  const began = performance.now()
  await atOnce(clients, asked, async ({ agent, query }, at) => {
    times.push((await caller.search(agent, { query: `${query} ${at}` })).ms)
  })
  const perSecond = asked.length / ((performance.now() - began) / 1000)
  return {
    check: 'C6',
    what: `search with questions that were never asked before, ${clients} clients`,
    measured: `p50 ${ms(percentile(times, 0.5))}, p95 ${ms(percentile(times, 0.95))} ms, ${perSecond.toFixed(0)} a second`,
    informational: 'the speed of the built-in model, which is one thread of each process',
  }
}

/** C7: the vector of a query is computed once. */
async function checkRepeated(
  asked: readonly Asked[],
  search: Send,
  sendBare: (asked: Asked) => Promise<void>,
  is_judged: boolean,
): Promise<CheckLine> {
  const twice: Send = async (each) => {
    await search(each)
    return search(each)
  }
  const measured = await measure(asked, twice, sendBare, 1)
  const p95 = percentile(measured.ours, 0.95)
  const bareP95 = percentile(measured.bare, 0.95)
  return {
    check: 'C7',
    what: 'the same search again, one client',
    measured: `p50 ${ms(percentile(measured.ours, 0.5))}, p95 ${ms(p95)} ms; bare p95 ${ms(bareP95)} ms: ${(p95 / bareP95).toFixed(2)} times`,
    bar: 'p95 20 ms',
    ...(is_judged ? { is_met: p95 <= 20 } : { informational: 'small sizes' }),
  }
}
