import type { NewPerson } from '#modules/identity'
import type { FeatureHoldings, GuestAccess } from '#modules/workspaces'
import { auditErasure } from '#platform/audit/erase-audit.ts'
import { createRollAuditJob } from '#platform/audit/roll-audit.ts'
import type { DerivedTable } from '#platform/db/derived.ts'
import type { ErasurePart } from '#platform/erasure/erasure-part.ts'
import { eventsErasure } from '#platform/events/erase-events.ts'
import { createRollEventsJob } from '#platform/events/roll-events.ts'
import type { Authenticator, MountedRoute } from '#platform/http/handle.ts'
import { keysErasure } from '#platform/idempotency/erase-keys.ts'
import { keysSweep } from '#platform/idempotency/keys-sweep.ts'
import { jobsErasure } from '#platform/jobs/erase-jobs.ts'
import type { MountedJob } from '#platform/jobs/job-handler.ts'
import { createSweepJob, effectsSweep } from '#platform/jobs/sweep.ts'
import { createBoards, derivedOfBoards } from './modules/boards/boards.module.ts'
import { createDocsSpaces } from './modules/docs-spaces/docs-spaces.module.ts'
import { createIdentity } from './modules/identity/identity.module.ts'
import { createMailboxes } from './modules/mailboxes/mailboxes.module.ts'
import { createProfiles } from './modules/profiles/profiles.module.ts'
import { createSystem } from './modules/system/system.module.ts'
import { createWebhooks } from './modules/webhooks/webhooks.module.ts'
import { createWorkspaces } from './modules/workspaces/workspaces.module.ts'
import type { Parts } from './parts.ts'

/** What `npm run verify-data` compares with the truth. */
export const derivedTables: readonly DerivedTable[] = [...derivedOfBoards]

export interface Modules {
  readonly routes: readonly MountedRoute[]
  readonly jobs: readonly MountedJob[]
  readonly authenticate: Authenticator
  /** Begins what a worker does besides jobs. */
  start(): void
  close(): Promise<void>
}

/** All modules, in dependency order: each may use only those above it. */
export function createModules(
  parts: Parts,
  more: readonly FeatureHoldings[] = [],
  more_guests: readonly GuestAccess[] = [],
): Modules {
  const system = createSystem(parts)
  const rollAuditJob = createRollAuditJob(parts.config.RETENTION_AUDIT_MONTHS)
  const rollEventsJob = createRollEventsJob(parts.config.RETENTION_EVENTS_MONTHS)
  // Who is told of new people.
  const new_people: NewPerson[] = []
  const erasure_parts: ErasurePart[] = []
  const identity = createIdentity({ ...parts, new_people, erasure_parts })
  // Ports of the workspace that modules below it fill.
  const holdings: FeatureHoldings[] = [...more]
  const guest_access: GuestAccess[] = [...more_guests]
  const workspaces = createWorkspaces({ ...parts, holdings, guest_access, new_people })
  const mailboxes = createMailboxes(parts)
  new_people.push(mailboxes.new_person)
  const profiles = createProfiles()
  const boards = createBoards(parts)
  guest_access.push(boards.guest_access)
  holdings.push(boards.holdings)
  const webhooks = createWebhooks(parts)
  const docsSpaces = createDocsSpaces()
  guest_access.push(docsSpaces.guest_access)
  // Jobs first, which would write anew what is taken out. Then from the right to the left, as rows hang on each other,
  // and last what was said of it all.
  erasure_parts.push(
    jobsErasure,
    docsSpaces.erasure,
    webhooks.erasure,
    boards.erasure,
    profiles.erasure,
    mailboxes.erasure,
    workspaces.erasure,
    eventsErasure,
    keysErasure,
    auditErasure,
    identity.erasure,
  )
  const sweepJob = createSweepJob([effectsSweep, keysSweep, ...identity.sweeps, ...workspaces.sweeps])
  return {
    routes: [
      ...system.routes,
      ...identity.routes,
      ...workspaces.routes,
      ...mailboxes.routes,
      ...profiles.routes,
      ...boards.routes,
      ...webhooks.routes,
      ...docsSpaces.routes,
    ],
    authenticate: identity.authenticate,
    jobs: [
      sweepJob,
      rollAuditJob,
      rollEventsJob,
      ...identity.jobs,
      ...workspaces.jobs,
      ...mailboxes.jobs,
      ...boards.jobs,
      ...webhooks.jobs,
    ],
    start: () => webhooks.start(),
    async close() {
      await webhooks.close()
      await system.close()
    },
  }
}
