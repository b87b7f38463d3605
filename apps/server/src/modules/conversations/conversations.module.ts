import { callLimits } from '#modules/memory'
import { featureHoldings } from '#modules/workspaces'
import { FairPlaces } from '#platform/bulkheads/fair-places.ts'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import { partsOn } from '#platform/ctx/handles.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import type { Embeddings } from '#platform/embeddings/embeddings.ts'
import { textVectors } from '#platform/embeddings/text-vectors.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import { Dispatcher } from '#platform/jobs/dispatcher.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Llm } from '#platform/llm/llm.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { fileTreeOn } from '#platform/shared-files/file-tree.ts'
import type { Config } from '../../config.ts'
import { conversationRowsOfBrand } from './erasure/erase-conversations.service.ts'
import { intakeRoutes } from './intake/intake.routes.ts'
import { createFindOwnTexts } from './intake/own-texts.service.ts'
import { ledgerRoutes } from './ledger/ledger.routes.ts'
import { pickUpJobs } from './pickup/pickup.jobs.ts'
import { cardReader } from './reading/card-reader.service.ts'
import { directoryReader } from './reading/directory-reader.ts'
import type { Readers } from './reading/source-reader.ts'
import { sourceSweep, textSweep } from './retention/retention.service.ts'
import { rollbackRoutes } from './rollback/rollback.routes.ts'
import { retirements } from './sources/retired-agents.service.ts'
import { sourceJobs } from './sources/sources.jobs.ts'
import { sourceRoutes } from './sources/sources.routes.ts'
import { countSources } from './sources/sources.service.ts'
import { limitOfCalls } from './usage/call-limit.service.ts'
import { type Standing, spendSweep } from './usage/spend.service.ts'
import { usageRoutes } from './usage/usage.routes.ts'

interface Deps {
  readonly ctx: CtxParts
  readonly log: Log
  readonly cursors: Cursors
  readonly secret_box: SecretBox
  readonly embeddings: Embeddings
  readonly llm: Llm
  readonly metrics: Pick<Metrics, 'model_standings'>
  readonly config: Pick<
    Config,
    | 'CONVERSATIONS_ROOT'
    | 'CONVERSATIONS_DAILY_CALLS'
    | 'CONVERSATIONS_DAILY_TOKENS'
    | 'RECALL_DAILY_CALLS'
    | 'RECALL_DAILY_TOKENS'
    | 'RETENTION_CONVERSATIONS_DAYS'
  >
}

export function createConversations(deps: Deps): Module {
  const { ctx, log, cursors, secret_box, embeddings, llm, metrics, config } = deps
  const system = systemCtx(partsOn(ctx, 'memory'), log, { kind: 'system', name: 'conversations.pick-up' })
  const places = { places: llm.background_places, kept_free: 0 }
  const dispatcher = new Dispatcher(new FairPlaces({ all: places, slow: places, receiver: places }))
  // A workspace whose disk hangs holds up no other.
  const reading = new Dispatcher(
    new FairPlaces({
      all: { places: 4, kept_free: 0 },
      slow: { places: 4, kept_free: 0 },
      receiver: { places: 2, kept_free: 0 },
    }),
  )
  const root = config.CONVERSATIONS_ROOT
  const tree = root === undefined ? undefined : fileTreeOn(root)
  const readers: Readers = { boards: cardReader, directory: directoryReader(tree) }
  const reads_directories = root !== undefined
  const findOwnTexts = createFindOwnTexts()
  // 0 is no limit.
  const limits = {
    memory: {
      calls: config.CONVERSATIONS_DAILY_CALLS || null,
      tokens: config.CONVERSATIONS_DAILY_TOKENS || null,
    },
    recall: { calls: config.RECALL_DAILY_CALLS || null, tokens: config.RECALL_DAILY_TOKENS || null },
    noteStanding: (kind: 'memory' | 'recall', standing: Standing) =>
      metrics.model_standings.inc({ kind, standing }),
  }
  return {
    routes: [
      ...sourceRoutes({ secret_box, cursors, reads_directories }),
      ...intakeRoutes(findOwnTexts),
      ...ledgerRoutes(cursors),
      ...rollbackRoutes(cursors),
      ...usageRoutes({ cursors, limits }),
    ],
    jobs: [
      ...sourceJobs(secret_box),
      ...pickUpJobs(
        system,
        { dispatcher, llm, vectors: textVectors(embeddings), limits },
        { dispatcher: reading, readers, secret_box, findOwnTexts },
      ),
    ],
    listeners: [retirements],
    fills: [
      fill(callLimits, limitOfCalls(limits)),
      fill(featureHoldings, { feature: 'feed', count: countSources }),
      fill(sweeps, textSweep(config.RETENTION_CONVERSATIONS_DAYS), sourceSweep, spendSweep),
      // Names of people stand nowhere here, so there is no part for a person.
      fill(erasureParts, { part: 'conversations', brand: emptying(...conversationRowsOfBrand) }),
    ],
    async close() {
      await Promise.all([dispatcher.close(), reading.close()])
    },
  }
}
