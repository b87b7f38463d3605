import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { CodeGraph } from './graph.rules.ts'
import type { FactsCache } from './index-commit.ts'
import type { FromIndexer, IndexStage, ToIndexer } from './index-messages.rules.ts'

export interface IndexJob {
  /** A bare clone. */
  readonly git_dir: string
  readonly commit: string
  readonly cache: FactsCache
  /** Where the process keeps its compiled sources, so that the next one starts sooner. */
  readonly compiled_dir?: string | undefined
  readonly onProgress?: (stage: IndexStage, done: number, total: number) => void
  readonly signal?: AbortSignal
  readonly limits?: Partial<IndexLimits>
}

export interface IndexLimits {
  /** Memory of the process; above it, the process is ended. */
  readonly memory_mb: number
  readonly threads: number
}

export const indexDefaults: IndexLimits = { memory_mb: 1_024, threads: 2 }

/** The index of a commit cannot be made; the message says why. */
export class IndexFault extends Error {}

const entry = fileURLToPath(new URL('index-child.ts', import.meta.url))
const watchMs = 250

/** The graph of a commit, made by a process of its own that inherits nothing and ends with its work. */
export async function indexInProcess({ signal, limits, compiled_dir, ...job }: IndexJob): Promise<CodeGraph> {
  signal?.throwIfAborted()
  const { memory_mb, threads } = { ...indexDefaults, ...limits }
  const child = fork(entry, {
    execArgv: [`--max-old-space-size=${Math.floor(memory_mb * 0.7)}`],
    env: { MALLOC_ARENA_MAX: '2', ...(compiled_dir ? { NODE_COMPILE_CACHE: compiled_dir } : {}) },
    serialization: 'advanced',
    stdio: 'ignore',
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const watch = new MemoryWatch(child, memory_mb)
  const onAbort = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', onAbort)
  try {
    return await converse(child, { ...job, threads })
  } catch (error) {
    signal?.throwIfAborted()
    throw watch.isOver ? new IndexFault(`the index needs more than ${memory_mb} MB`) : error
  } finally {
    signal?.removeEventListener('abort', onAbort)
    watch.close()
    child.kill('SIGKILL')
    await ended
  }
}

type Conversation = Omit<IndexJob, 'signal' | 'limits' | 'compiled_dir'> & { readonly threads: number }

function converse(child: ChildProcess, { cache, onProgress, ...start }: Conversation): Promise<CodeGraph> {
  return new Promise((resolve, reject) => {
    const say = (message: ToIndexer) => {
      if (child.connected) child.send(message, (error) => error && reject(error))
    }
    const hear = async (message: FromIndexer) => {
      switch (message.type) {
        case 'get':
          return say({ type: 'known', id: message.id, facts: await cache.get(message.keys) })
        case 'put':
          await cache.put(message.entries)
          return say({ type: 'kept', id: message.id })
        case 'progress':
          return onProgress?.(message.stage, message.done, message.total)
        case 'graph':
          return resolve(message.graph)
        case 'fault':
          return reject(new IndexFault(message.message))
      }
    }
    child.on('message', (message: FromIndexer) => void hear(message).catch(reject))
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      reject(new IndexFault(`the process that indexes ended (${signal ?? code})`)),
    )
    say({ type: 'start', git_dir: start.git_dir, commit: start.commit, threads: start.threads })
  })
}

/** Looks at the memory of a process from outside: it may be too busy to look itself. */
class MemoryWatch {
  isOver = false
  peak_mb = 0
  readonly #timer: NodeJS.Timeout

  constructor(child: ChildProcess, mostMb: number) {
    this.#timer = setInterval(async () => {
      this.peak_mb = Math.max(this.peak_mb, await residentMb(child.pid))
      if (this.peak_mb <= mostMb) return
      this.isOver = true
      child.kill('SIGKILL')
    }, watchMs)
    this.#timer.unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

/** Resident memory as Linux tells it; 0 elsewhere, where only the limit of the heap holds. */
async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024
}
