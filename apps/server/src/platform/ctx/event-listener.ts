import type { BrandTx } from '#platform/ctx/ctx.ts'
import type { KeptEvent } from '#platform/events/workspace-event.ts'

/** Reactions to events. Modules register them at startup. */
export interface EventListener {
  /**
   * Writes commit with the events or not at all. They must be sent immediately, without awaiting anything first, because
   * the commit may follow right away.
   */
  happened?(ctx: BrandTx, events: readonly KeptEvent[]): Promise<void>
  /** After the commit. Must neither wait nor throw; not called if the process dies first. */
  committed?(brandId: number, event: KeptEvent): void
}
