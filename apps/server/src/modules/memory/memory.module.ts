import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Llm } from '#platform/llm/llm.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import type { Config } from '../../config.ts'
import { erasePersonFromMemory, memoryRowsOfBrand } from './erasure/erase-memory.service.ts'
import { historyRoutes } from './history/history.routes.ts'
import { historySweep } from './history/history.service.ts'
import { memoryRoutes } from './memories/memories.routes.ts'
import { recallRoutes } from './recall/recall.routes.ts'
import { createRerank } from './recall/rerank.service.ts'
import { searchRoutes } from './search/search.routes.ts'
import { statsRoutes } from './stats/stats.routes.ts'

interface Deps {
  readonly cursors: Cursors
  readonly llm: Llm
  readonly config: Pick<Config, 'RECALL_TIMEOUT_MS'>
}

export const createMemory = ({ cursors, llm, config }: Deps): Module => ({
  routes: [
    ...searchRoutes,
    ...recallRoutes({ rerank: createRerank(llm), timeout_ms: config.RECALL_TIMEOUT_MS }),
    ...memoryRoutes(cursors),
    ...statsRoutes,
    ...historyRoutes,
  ],
  fills: [
    fill(sweeps, historySweep),
    fill(erasureParts, {
      part: 'memory',
      person: erasePersonFromMemory,
      brand: emptying(...memoryRowsOfBrand),
    }),
  ],
})
