import { Worker } from 'node:worker_threads'
import type { CodeGraph } from '../graph/graph.rules.ts'
import type { History } from '../identity/history.rules.ts'
import type { Plan, StoredIndex } from '../publication/plan.rules.ts'
import type { SymbolsOf } from '../publication/prepare.service.ts'

/** What the thread compares. */
export interface Comparison {
  readonly stored: StoredIndex
  readonly graph: CodeGraph
  readonly history: History
}
export type FromThread =
  | { readonly asked: Parameters<SymbolsOf>[0] }
  | { readonly plan: Plan }
  | { readonly fault: string }

const entry = new URL('compare-thread.service.ts', import.meta.url)
const heapMb = 2048

/** In a thread of its own: two graphs of a large repository are seconds of work. */
export async function compareInThread(
  comparison: Comparison,
  symbolsOf: SymbolsOf,
  signal: AbortSignal,
): Promise<Plan> {
  signal.throwIfAborted()
  const thread = new Worker(entry, {
    workerData: comparison,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  const onAbort = () => void thread.terminate()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await new Promise<Plan>((resolve, reject) => {
      thread.on('message', (message: FromThread) => {
        if ('plan' in message) resolve(message.plan)
        else if ('fault' in message) reject(new Error(message.fault))
        else symbolsOf(message.asked).then((read) => thread.postMessage(read), reject)
      })
      thread.once('error', reject)
      thread.once('exit', () => reject(signal.reason ?? new Error('the thread that compares has ended')))
    })
  } finally {
    signal.removeEventListener('abort', onAbort)
    await thread.terminate()
  }
}
