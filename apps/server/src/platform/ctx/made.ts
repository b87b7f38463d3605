import type { Life } from '#platform/bulkheads/life.ts'
import type { Actor } from '#platform/ctx/actor.ts'
import type { CtxParts } from '#platform/ctx/ctx.ts'
import type { KeptEvent } from '#platform/events/workspace-event.ts'
import type { FaultPoint } from '#platform/fault-points/fault-points.ts'
import type { Log } from '#platform/log/log.ts'

/** What a context passes on to narrower ones. */
export interface Made {
  readonly parts: CtxParts
  readonly log: Log
  readonly actor: Actor
  readonly request_id: string | null
  readonly life: Life | undefined
}

// Classes, because one is created per request: methods are shared, closures would not be.
export class Common {
  readonly parts: CtxParts
  readonly log: Log
  readonly actor: Actor
  readonly request_id: string | null
  readonly life: Life | undefined

  constructor({ parts, log, actor, request_id, life }: Made, instead = actor) {
    this.parts = parts
    this.log = log
    this.actor = instead
    this.request_id = request_id
    this.life = life
  }

  get faultPoint(): FaultPoint {
    return this.parts.fault_point
  }

  now(): Date {
    return this.parts.clock.now()
  }
}

export function tellCommitted({ listeners }: CtxParts, brandId: number, events: readonly KeptEvent[]): void {
  for (const event of events) for (const listener of listeners) listener.committed?.(brandId, event)
}

export const made = ({ parts, log, actor, request_id, life }: Made): Made => ({
  parts,
  log,
  actor,
  request_id,
  life,
})
