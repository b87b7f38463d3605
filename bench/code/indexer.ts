import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const entry = fileURLToPath(
  new URL('../../apps/server/src/modules/code-index/graph/index-child.ts', import.meta.url),
)

/** As a worker keeps it: the first process finds nothing in it. */
const compiled = mkdtempSync(join(tmpdir(), 'crewhall-compiled-'))
process.once('exit', () => rmSync(compiled, { recursive: true, force: true }))

type Message =
  | { type: 'get'; id: number; keys: string[] }
  | { type: 'put'; id: number; entries: [string, string][] }
  | { type: 'progress'; stage: string; done: number; total: number }
  | { type: 'graph'; graph: Graph }
  | { type: 'fault'; message: string }

interface Graph {
  readonly nodes: readonly { readonly kind: string; readonly path: string; readonly symbol: string }[]
  readonly edges: readonly { readonly kind: string; readonly from: number; readonly to: number }[]
  readonly files_total: number
  readonly skipped: readonly { readonly path: string; readonly reason: string }[]
  readonly references_total: number
  readonly references_resolved: number
  readonly imports?: { readonly total: number; readonly resolved: number }
}

/** Edges of a kind as `from to`, each a path or `path#symbol`. */
export function edgesOf({ nodes, edges }: Graph, kind: string): Set<string> {
  const keys = nodes.map(({ path, symbol }) => (symbol === '' ? path : `${path}#${symbol}`))
  return new Set(
    edges.filter((edge) => edge.kind === kind).map(({ from, to }) => `${keys[from]} ${keys[to]}`),
  )
}

/** What one graph has and the other has not, some of it. */
export function differencesOf(one: Graph, other: Graph): Record<string, readonly string[]> {
  const listed = (graph: Graph): Record<string, Set<string>> => ({
    nodes: new Set(graph.nodes.map((node) => JSON.stringify(node))),
    skipped: new Set(graph.skipped.map((each) => JSON.stringify(each))),
    ...Object.fromEntries(['import', 'symbol_import', 'call'].map((kind) => [kind, edgesOf(graph, kind)])),
  })
  const [left, right] = [listed(one), listed(other)]
  return Object.fromEntries(
    Object.entries(left).map(([what, set]) => {
      return [what, [...set.symmetricDifference(right[what] ?? new Set<string>())].slice(0, 20)]
    }),
  )
}

export interface IndexRun {
  readonly graph: Graph
  /** Of all threads, and of git. */
  readonly cpu_seconds: number
  readonly seconds: number
  readonly resolve_seconds: number
  readonly peak_mb: number
}

/** Indexes a commit in the process that the product starts for it. `facts` is its cache. */
export function indexOnce(git_dir: string, commit: string, facts: Map<string, string>): Promise<IndexRun> {
  const child = fork(entry, {
    env: { NODE_COMPILE_CACHE: compiled },
    serialization: 'advanced',
    stdio: 'ignore',
  })
  const began = performance.now()
  let resolving = began
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMb(child.pid))
  }, 50)
  return new Promise<IndexRun>((resolve, reject) => {
    child.on('message', (message: Message) => {
      if (message.type === 'get') {
        const known = message.keys.flatMap((key) => (facts.has(key) ? [[key, facts.get(key)] as const] : []))
        child.send({ type: 'known', id: message.id, facts: new Map(known) })
      } else if (message.type === 'put') {
        for (const [key, text] of message.entries) facts.set(key, text)
        child.send({ type: 'kept', id: message.id })
      } else if (message.type === 'progress') {
        if (message.stage === 'extract') resolving = performance.now()
      } else if (message.type === 'graph') {
        const ended = performance.now()
        const [seconds, resolve_seconds] = [(ended - began) / 1000, (ended - resolving) / 1000]
        resolve({
          graph: message.graph,
          cpu_seconds: cpuSeconds(child.pid),
          seconds,
          resolve_seconds,
          peak_mb: peak,
        })
      } else reject(new Error(message.message))
    })
    child.once('exit', (code, signal) => reject(new Error(`the indexer ended (${signal ?? code})`)))
    child.send({ type: 'start', git_dir, commit, threads: 2 })
  }).finally(() => clearInterval(watch))
}

/** As Linux counts, in hundredths; 0 elsewhere. */
function cpuSeconds(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
  } catch {
    return 0
  }
}

function residentMb(pid: number | undefined): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
