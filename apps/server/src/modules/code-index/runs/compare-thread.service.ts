import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { prepareIndex } from '../publication/prepare.service.ts'
import type { Comparison, FromThread } from './compare.service.ts'

const tell = (message: FromThread) => parentPort?.postMessage(message)

if (parentPort) {
  const port = parentPort
  const { stored, graph, history } = workerData as Comparison
  try {
    const plan = await prepareIndex(stored, graph, history, async (asked) => {
      tell({ asked })
      return (await once(port, 'message'))[0]
    })
    tell({ plan })
  } catch (error) {
    tell({ fault: error instanceof Error ? error.message : String(error) })
  }
}
