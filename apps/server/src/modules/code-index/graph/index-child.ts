import { flushCompileCache } from 'node:module'
import { poolDefaults } from '../extraction/extract-pool.ts'
import { type FactsCache, indexCommit } from './index-commit.ts'
import type { FromIndexer, IndexStage, ToIndexer } from './index-messages.rules.ts'

// The process that indexes one commit and ends. It asks its parent for cached facts and has no other connection.

const waiting = new Map<number, (facts: ReadonlyMap<string, string>) => void>()
const none: ReadonlyMap<string, string> = new Map()
let asked = 0

const tell = (message: FromIndexer) => process.send?.(message)
const finish = (message: FromIndexer) => process.send?.(message, () => process.disconnect?.())

function ask(make: (id: number) => FromIndexer): Promise<ReadonlyMap<string, string>> {
  asked += 1
  const id = asked
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    tell(make(id))
  })
}

const cache: FactsCache = {
  get: (keys) => ask((id) => ({ type: 'get', id, keys })),
  put: async (entries) => {
    await ask((id) => ({ type: 'put', id, entries }))
  },
}

/** Progress is told at most every so often: a message a file would be most of the work. */
const tellMs = 200
let told = 0

function onProgress(stage: IndexStage, done: number, total: number): void {
  const now = performance.now()
  if (done !== total && now - told < tellMs) return
  told = now
  tell({ type: 'progress', stage, done, total })
}

process.on('message', async (message: ToIndexer) => {
  if (message.type !== 'start') {
    waiting.get(message.id)?.(message.type === 'known' ? message.facts : none)
    waiting.delete(message.id)
    return
  }
  const { git_dir, commit, threads } = message
  try {
    const graph = await indexCommit({
      git_dir,
      commit,
      cache,
      onProgress,
      pool: { ...poolDefaults, threads },
    })
    // The parent ends this process as soon as it has the graph.
    flushCompileCache()
    finish({ type: 'graph', graph })
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error)
    finish({ type: 'fault', message: fault })
  }
})
// Without its parent there is nobody to index for.
process.on('disconnect', () => process.exit(0))
