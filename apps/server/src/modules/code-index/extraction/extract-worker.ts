import { enableCompileCache, flushCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { Language } from './languages.rules.ts'

export interface Blob {
  readonly language: Language
  readonly bytes: Uint8Array
}

export interface Extracted {
  /** Facts as JSON, in the order of the blobs. */
  readonly facts: readonly string[]
  /** Memory of this thread: that of the parser and of JavaScript. */
  readonly memory_bytes: number
}

export interface WorkerSettings {
  /** Where compiled sources are kept, if anywhere; a thread does not take that from its process. */
  readonly compiled_dir: string | undefined
}

const { compiled_dir } = workerData as WorkerSettings
if (compiled_dir !== undefined) enableCompileCache(compiled_dir)
const { Extractor } = await import('./extract.ts')
const extractor = await Extractor.start()
// Threads are ended, not left to end, which is when Node would do it.
if (compiled_dir !== undefined) flushCompileCache()

parentPort?.on('message', async (blobs: readonly Blob[]) => {
  const facts: string[] = []
  for (const { language, bytes } of blobs)
    facts.push(JSON.stringify(await extractor.extract(language, bytes)))
  parentPort?.postMessage({ facts, memory_bytes: extractor.memoryBytes() } satisfies Extracted)
})
