import { auditErasure } from '#platform/audit/erase-audit.ts'
import { createRollAuditJob } from '#platform/audit/roll-audit.ts'
import { erasureParts } from '#platform/erasure/erasure-part.ts'
import { eventsErasure } from '#platform/events/erase-events.ts'
import { createRollEventsJob } from '#platform/events/roll-events.ts'
import { keysErasure } from '#platform/idempotency/erase-keys.ts'
import { keysSweep } from '#platform/idempotency/keys-sweep.ts'
import { createSweepJob, effectsSweep, sweeps } from '#platform/jobs/sweep.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill, type Ports } from '#platform/modules/port.ts'
import type { Config } from './config.ts'

interface Deps {
  readonly config: Pick<Config, 'RETENTION_AUDIT_MONTHS' | 'RETENTION_EVENTS_MONTHS'>
  readonly ports: Ports
}

/** What the platform itself keeps of workspaces, and how it ends: by age, or by erasure. */
export const createUpkeep = ({ config, ports }: Deps): Module => ({
  jobs: [
    createSweepJob(ports.of(sweeps)),
    createRollAuditJob(config.RETENTION_AUDIT_MONTHS),
    createRollEventsJob(config.RETENTION_EVENTS_MONTHS),
  ],
  fills: [
    fill(sweeps, effectsSweep, keysSweep),
    fill(erasureParts, auditErasure, keysErasure, eventsErasure),
  ],
})
