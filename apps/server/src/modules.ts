import type { FeatureHoldings, GuestAccess } from '#modules/workspaces'
import type { Authenticator, MountedRoute } from '#platform/http/handle.ts'
import type { MountedJob } from '#platform/jobs/job-handler.ts'
import { sweepJob } from '#platform/jobs/sweep.ts'
import { createIdentity } from './modules/identity/identity.module.ts'
import { createProfiles } from './modules/profiles/profiles.module.ts'
import { createSystem } from './modules/system/system.module.ts'
import { createWorkspaces } from './modules/workspaces/workspaces.module.ts'
import type { Parts } from './parts.ts'

export interface Modules {
  readonly routes: readonly MountedRoute[]
  readonly jobs: readonly MountedJob[]
  readonly authenticate: Authenticator
  close(): Promise<void>
}

/** All modules, in dependency order: each may use only those above it. */
export function createModules(parts: Parts): Modules {
  const system = createSystem(parts)
  const identity = createIdentity(parts)
  // Ports of the workspace that modules below it fill.
  const holdings: FeatureHoldings[] = []
  const guest_access: GuestAccess[] = []
  const workspaces = createWorkspaces({ ...parts, holdings, guest_access })
  const profiles = createProfiles()
  return {
    routes: [...system.routes, ...identity.routes, ...workspaces.routes, ...profiles.routes],
    authenticate: identity.authenticate,
    jobs: [sweepJob, ...workspaces.jobs],
    close: () => system.close(),
  }
}
