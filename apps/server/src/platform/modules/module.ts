import type { EventListener } from '#platform/ctx/ctx.ts'
import type { MountedRoute } from '#platform/http/handle.ts'
import type { PlainRoute } from '#platform/http/plain-route.ts'
import type { MountedJob } from '#platform/jobs/job-handler.ts'
import type { Fill } from '#platform/modules/port.ts'

/** What every module brings to the processes. */
export interface Module {
  readonly routes?: readonly MountedRoute[]
  /** Those outside of `/api/v1`. */
  readonly plain_routes?: readonly PlainRoute[]
  readonly jobs?: readonly MountedJob[]
  /** Notified of the events of every workspace. */
  readonly listeners?: readonly EventListener[]
  /** What it provides for ports of the platform and of modules to its left. */
  readonly fills?: readonly Fill[]
  /** Begins what a worker does besides jobs. */
  start?(): void
  /** A worker is to end, and its jobs have this long: takes on nothing more, and lets what is under way end. Closed afterwards. */
  drain?(limitMs: number): Promise<void>
  close?(): Promise<void>
}
