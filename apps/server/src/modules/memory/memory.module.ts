import { cardMemories } from '#modules/boards'
import { indexFollowers } from '#modules/code-index'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import { partsOn } from '#platform/ctx/handles.ts'
import { readOn } from '#platform/ctx/read-on.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { Embedder } from '#platform/embeddings/embedder.ts'
import type { Embeddings } from '#platform/embeddings/embeddings.ts'
import { textVectors } from '#platform/embeddings/text-vectors.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import { Loop } from '#platform/jobs/loop.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Llm } from '#platform/llm/llm.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill, type Ports } from '#platform/modules/port.ts'
import type { SharedFiles } from '#platform/shared-files/shared-files.ts'
import type { Config } from '../../config.ts'
import { createCardMemories } from './card-memories/card-memories.service.ts'
import { codeLinkRoutes } from './code-links/code-links.routes.ts'
import { linkFollower } from './code-links/follow.service.ts'
import { Linker } from './code-links/linker.service.ts'
import { Consolidator } from './consolidation/consolidate.service.ts'
import { consolidationRoutes } from './consolidation/consolidation.routes.ts'
import { actorName } from './consolidation/merge.service.ts'
import { createSay } from './consolidation/say.service.ts'
import { getProgress, memoryTexts } from './embeddings/embedding.service.ts'
import { erasePersonFromMemory, memoryRowsOfBrand } from './erasure/erase-memory.service.ts'
import { eraseFiles } from './export/erase-files.service.ts'
import { exportJobs } from './export/export.jobs.ts'
import { exportRoutes } from './export/export.routes.ts'
import { historyRoutes } from './history/history.routes.ts'
import { historySweep } from './history/history.service.ts'
import { memoryRoutes } from './memories/memories.routes.ts'
import { callLimits } from './memory.ports.ts'
import { recallRoutes } from './recall/recall.routes.ts'
import { createRerank } from './recall/rerank.service.ts'
import { reviewRoutes } from './review/review.routes.ts'
import { proposalSweep } from './review/review.service.ts'
import { searchRoutes } from './search/search.routes.ts'
import { statsRoutes } from './stats/stats.routes.ts'

interface Deps {
  readonly ctx: CtxParts
  readonly log: Log
  readonly metrics: Metrics
  readonly embeddings: Embeddings
  readonly cursors: Cursors
  readonly llm: Llm
  readonly agent_files: SharedFiles
  readonly config: Pick<Config, 'RECALL_TIMEOUT_MS'>
  readonly ports: Ports
}

/** A search finds a memory by its words at once, and by its meaning after a look. */
const lookMs = 1000
/** How long an agent that asks for work waits for its memories. */
const cardMemoriesMs = 2000

export function createMemory(deps: Deps): Module {
  const { ctx, log, metrics, embeddings, cursors, llm, agent_files, config, ports } = deps
  const system = systemCtx(partsOn(ctx, 'memory'), log, { kind: 'system', name: 'memory.embed' })
  const vectors = textVectors(embeddings)
  const embedder = new Embedder(vectors, memoryTexts)
  const look = () => embedder.look(system)
  const loop = new Loop({ name: 'memory.embed', every_ms: lookMs, pause_ms: lookMs, look, log })
  const limits = ports.of(callLimits)
  const consolidator = new Consolidator(createSay(llm, limits))
  const consolidating = consolidationLoop(ctx, log, consolidator)
  const linker = new Linker()
  const linking = linkingLoop(ctx, log, linker)
  return {
    routes: [
      ...searchRoutes(vectors),
      ...recallRoutes({ vectors, rerank: createRerank(llm, limits), timeout_ms: config.RECALL_TIMEOUT_MS }),
      ...memoryRoutes(cursors),
      ...statsRoutes,
      ...historyRoutes,
      ...consolidationRoutes,
      ...reviewRoutes(cursors),
      ...exportRoutes(agent_files),
      ...codeLinkRoutes,
    ],
    jobs: exportJobs(agent_files),
    fills: [
      fill(sweeps, historySweep, proposalSweep),
      fill(indexFollowers, linkFollower),
      fill(cardMemories, createCardMemories({ vectors, memory: readOn(ctx, 'memory', cardMemoriesMs) })),
      // Erased after the memories, so that no export brings a file back.
      fill(erasureParts, { part: 'memory-files', brand: eraseFiles(agent_files) }),
      fill(erasureParts, {
        part: 'memory',
        person: erasePersonFromMemory,
        brand: emptying(...memoryRowsOfBrand),
      }),
    ],
    start() {
      metrics.watchCounts(() => getProgress(system))
      loop.start()
      consolidating.start()
      linking.start()
    },
    async close() {
      embedder.end()
      consolidator.end()
      linker.end()
      await Promise.all([loop.stop(), consolidating.stop(), linking.stop()])
    },
  }
}

function consolidationLoop(ctx: CtxParts, log: Log, consolidator: Consolidator): Loop {
  const system = systemCtx(partsOn(ctx, 'memory'), log, { kind: 'system', name: actorName })
  const look = () => consolidator.look(system)
  return new Loop({ name: actorName, every_ms: lookMs, pause_ms: lookMs, look, log })
}

function linkingLoop(ctx: CtxParts, log: Log, linker: Linker): Loop {
  const system = systemCtx(partsOn(ctx, 'memory'), log, { kind: 'system', name: 'memory.link' })
  return new Loop({
    name: 'memory.link',
    every_ms: lookMs,
    pause_ms: lookMs,
    look: () => linker.look(system),
    log,
  })
}
