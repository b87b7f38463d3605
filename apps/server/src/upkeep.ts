import { auditErasure } from '#platform/audit/erase-audit.ts'
import { createRollAuditJob } from '#platform/audit/roll-audit.ts'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import { erasureParts } from '#platform/erasure/erasure-part.ts'
import { eventsErasure } from '#platform/events/erase-events.ts'
import { createRollEventsJob } from '#platform/events/roll-events.ts'
import { keysErasure } from '#platform/idempotency/erase-keys.ts'
import { keysSweep } from '#platform/idempotency/keys-sweep.ts'
import { Loop } from '#platform/jobs/loop.ts'
import { createSweepJob, effectsSweep, sweeps } from '#platform/jobs/sweep.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill, type Ports } from '#platform/modules/port.ts'
import {
  journalLagSeconds,
  revocationsSweep,
  writeJournal,
} from '#platform/revocations/revocation-journal.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { Config } from './config.ts'

interface Deps {
  readonly config: Pick<Config, 'RETENTION_AUDIT_MONTHS' | 'RETENTION_EVENTS_MONTHS'>
  readonly ports: Ports
  readonly ctx: CtxParts
  readonly log: Log
  readonly metrics: Metrics
  readonly storage: Storage
}

/** What is lost with the database in this time would be let in again after a restore. */
const journalMs = 1000

/** What the platform itself keeps of workspaces, and how it ends: by age, or by erasure. */
export function createUpkeep({ config, ports, ctx, log, metrics, storage }: Deps): Module {
  const system = systemCtx(ctx, log, { kind: 'system', name: 'platform.write-journal' })
  const look = () => writeJournal(system, storage)
  const journal = new Loop({
    name: 'platform.write-journal',
    every_ms: journalMs,
    pause_ms: journalMs,
    look,
    log,
  })
  return {
    jobs: [
      createSweepJob(ports.of(sweeps)),
      createRollAuditJob(config.RETENTION_AUDIT_MONTHS),
      createRollEventsJob(config.RETENTION_EVENTS_MONTHS),
    ],
    fills: [
      fill(sweeps, effectsSweep, keysSweep, revocationsSweep),
      fill(erasureParts, auditErasure, keysErasure, eventsErasure),
    ],
    start() {
      if (!storage.is_configured) return
      metrics.watchOldest('revocation', () => journalLagSeconds(system))
      journal.start()
    },
    close: () => journal.stop(),
  }
}
