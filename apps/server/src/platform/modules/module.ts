import type { EventListener } from '#platform/ctx/ctx.ts'
import type { MountedRoute } from '#platform/http/handle.ts'
import type { MountedJob } from '#platform/jobs/job-handler.ts'
import type { Fill } from '#platform/modules/port.ts'

/** What every module brings to the processes. */
export interface Module {
  readonly routes?: readonly MountedRoute[]
  readonly jobs?: readonly MountedJob[]
  /** Notified of the events of every workspace. */
  readonly listeners?: readonly EventListener[]
  /** What it provides for ports of the platform and of modules to its left. */
  readonly fills?: readonly Fill[]
  /** Begins what a worker does besides jobs. */
  start?(): void
  close?(): Promise<void>
}
