import type { DerivedTable } from '#platform/db/derived.ts'
import { erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Authenticator, MountedRoute } from '#platform/http/handle.ts'
import type { PlainRoute } from '#platform/http/plain-route.ts'
import { jobsErasure } from '#platform/jobs/erase-jobs.ts'
import type { MountedJob } from '#platform/jobs/job-handler.ts'
import type { Module } from '#platform/modules/module.ts'
import { type Fill, fill, Ports } from '#platform/modules/port.ts'
import { createDashboard } from './dashboard.ts'
import { createBoards, derivedOfBoards } from './modules/boards/boards.module.ts'
import { createCodeIndex } from './modules/code-index/code-index.module.ts'
import { createConversations } from './modules/conversations/conversations.module.ts'
import { createDocsSpaces } from './modules/docs-spaces/docs-spaces.module.ts'
import { createFleet, derivedOfFleet } from './modules/fleet/fleet.module.ts'
import { createGateway } from './modules/gateway/gateway.module.ts'
import { createHires, derivedOfBuilds, derivedOfHires } from './modules/hires/hires.module.ts'
import { createIdentity } from './modules/identity/identity.module.ts'
import { createInbox } from './modules/inbox/inbox.module.ts'
import { createLessons, derivedOfLessons } from './modules/lessons/lessons.module.ts'
import { createMailboxes } from './modules/mailboxes/mailboxes.module.ts'
import { createMarketplace } from './modules/marketplace/marketplace.module.ts'
import { createMemory } from './modules/memory/memory.module.ts'
import { createProfiles } from './modules/profiles/profiles.module.ts'
import { createSystem } from './modules/system/system.module.ts'
import { createWebhooks } from './modules/webhooks/webhooks.module.ts'
import { createWorkspaces } from './modules/workspaces/workspaces.module.ts'
import type { Parts } from './parts.ts'
import { createUpkeep } from './upkeep.ts'

/** What `npm run verify-data` compares with the truth. */
export const derivedTables: readonly DerivedTable[] = [
  ...derivedOfBoards,
  ...derivedOfFleet,
  ...derivedOfHires,
  ...derivedOfLessons,
  ...derivedOfBuilds,
]

export interface Modules {
  readonly routes: readonly MountedRoute[]
  readonly plain_routes: readonly PlainRoute[]
  readonly jobs: readonly MountedJob[]
  readonly authenticate: Authenticator
  start(): void
  drain(limitMs: number): Promise<void>
  close(): Promise<void>
}

/** All modules, in dependency order: each may use only those above it. */
export function createModules(parts: Parts, more: readonly Fill[] = []): Modules {
  const ports = new Ports()
  const deps = { ...parts, ports }
  const identity = createIdentity(deps)
  const marketplace = createMarketplace(deps)
  const modules: readonly Module[] = [
    createSystem(deps),
    identity,
    createUpkeep(deps),
    createWorkspaces(deps),
    createInbox(deps),
    createMailboxes(deps),
    createProfiles(),
    createBoards(deps),
    createWebhooks(deps),
    createDocsSpaces(),
    createCodeIndex(deps),
    createMemory(deps),
    createConversations(deps),
    createLessons(deps),
    createFleet(deps),
    marketplace,
    createGateway({ ...deps, grants: marketplace.grants }),
    createHires({ ...deps, installs: marketplace.installs }),
    createDashboard(deps),
    // Erased before all others: a queued job would write again what they have taken out.
    { fills: [fill(erasureParts, jobsErasure)] },
  ]
  for (const { fills = [], listeners = [] } of modules) {
    ports.add(fills)
    parts.listeners.push(...listeners)
  }
  ports.add(more)
  return {
    routes: modules.flatMap(({ routes = [] }) => routes),
    plain_routes: modules.flatMap(({ plain_routes = [] }) => plain_routes),
    jobs: modules.flatMap(({ jobs = [] }) => jobs),
    authenticate: identity.authenticate,
    start() {
      for (const module of modules) module.start?.()
    },
    async drain(limitMs) {
      await Promise.all(modules.map((module) => module.drain?.(limitMs)))
    },
    async close() {
      for (const module of modules.toReversed()) await module.close?.()
    },
  }
}
