import { parentPort } from 'node:worker_threads'
import { Extractor } from './extract.ts'
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

const extractor = await Extractor.start()

parentPort?.on('message', async (blobs: readonly Blob[]) => {
  const facts: string[] = []
  for (const { language, bytes } of blobs)
    facts.push(JSON.stringify(await extractor.extract(language, bytes)))
  parentPort?.postMessage({ facts, memory_bytes: extractor.memoryBytes() } satisfies Extracted)
})
