import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const entry = fileURLToPath(
  new URL('../../apps/server/src/modules/code-index/graph/index-child.ts', import.meta.url),
)

type Message =
  | { type: 'get'; id: number; keys: string[] }
  | { type: 'put'; id: number; entries: [string, string][] }
  | { type: 'progress'; stage: string; done: number; total: number }
  | { type: 'graph'; graph: Graph }
  | { type: 'fault'; message: string }

interface Graph {
  readonly nodes: readonly unknown[]
  readonly edges: readonly unknown[]
  readonly files_total: number
  readonly skipped: readonly unknown[]
  readonly references_total: number
  readonly references_resolved: number
}

export interface IndexRun {
  readonly graph: Graph
  readonly seconds: number
  readonly resolve_seconds: number
  readonly peak_mb: number
}

/** Indexes a commit in the process that the product starts for it. `facts` is its cache. */
export function indexOnce(git_dir: string, commit: string, facts: Map<string, string>): Promise<IndexRun> {
  const child = fork(entry, { env: {}, serialization: 'advanced', stdio: 'ignore' })
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
        resolve({ graph: message.graph, seconds, resolve_seconds, peak_mb: peak })
      } else reject(new Error(message.message))
    })
    child.once('exit', (code, signal) => reject(new Error(`the indexer ended (${signal ?? code})`)))
    child.send({ type: 'start', git_dir, commit, threads: 2 })
  }).finally(() => clearInterval(watch))
}

function residentMb(pid: number | undefined): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
