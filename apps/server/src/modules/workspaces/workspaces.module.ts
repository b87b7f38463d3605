import type { MountedRoute } from '#platform/http/handle.ts'
import type { MountedJob } from '#platform/jobs/job-handler.ts'
import type { FeatureHoldings, GuestAccess } from './workspaces.ports.ts'

interface Deps {
  /** Filled by modules to the right, after this one was made. */
  readonly holdings: readonly FeatureHoldings[]
  readonly guest_access: readonly GuestAccess[]
}

export function createWorkspaces(_deps: Deps): {
  routes: readonly MountedRoute[]
  jobs: readonly MountedJob[]
} {
  return { routes: [], jobs: [] }
}
