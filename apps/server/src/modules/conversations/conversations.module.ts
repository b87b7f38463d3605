import { featureHoldings } from '#modules/workspaces'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { Config } from '../../config.ts'
import { conversationRowsOfBrand } from './erasure/erase-conversations.service.ts'
import { intakeRoutes } from './intake/intake.routes.ts'
import { findOwnTexts } from './intake/own-texts.service.ts'
import { ledgerRoutes } from './ledger/ledger.routes.ts'
import { sourceSweep, textSweep } from './retention/retention.service.ts'
import { retirements } from './sources/retired-agents.service.ts'
import { sourceJobs } from './sources/sources.jobs.ts'
import { sourceRoutes } from './sources/sources.routes.ts'
import { countSources } from './sources/sources.service.ts'
import { spendSweep } from './usage/spend.service.ts'
import { usageRoutes } from './usage/usage.routes.ts'

interface Deps {
  readonly cursors: Cursors
  readonly secret_box: SecretBox
  readonly config: Pick<
    Config,
    | 'CONVERSATIONS_ROOT'
    | 'CONVERSATIONS_DAILY_CALLS'
    | 'CONVERSATIONS_DAILY_TOKENS'
    | 'RETENTION_CONVERSATIONS_DAYS'
  >
}

export function createConversations({ cursors, secret_box, config }: Deps): Module {
  const reads_directories = config.CONVERSATIONS_ROOT !== undefined
  // 0 is no limit.
  const limits = {
    calls: config.CONVERSATIONS_DAILY_CALLS || null,
    tokens: config.CONVERSATIONS_DAILY_TOKENS || null,
  }
  return {
    routes: [
      ...sourceRoutes({ secret_box, cursors, reads_directories }),
      ...intakeRoutes(findOwnTexts),
      ...ledgerRoutes(cursors),
      ...usageRoutes({ cursors, limits }),
    ],
    jobs: sourceJobs(secret_box),
    listeners: [retirements],
    fills: [
      fill(featureHoldings, { feature: 'feed', count: countSources }),
      fill(sweeps, textSweep(config.RETENTION_CONVERSATIONS_DAYS), sourceSweep, spendSweep),
      // Names of people stand nowhere here, so there is no part for a person.
      fill(erasureParts, { part: 'conversations', brand: emptying(...conversationRowsOfBrand) }),
    ],
  }
}
