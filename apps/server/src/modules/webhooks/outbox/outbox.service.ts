import type { BrandTx, EventListener } from '#platform/ctx/ctx.ts'
import type { KeptEvent } from '#platform/events/workspace-event.ts'
import { insertDeliveries } from './outbox.store.ts'
import { patternsOf, payloadOf } from './payload.rules.ts'

/** In the transaction of the change: there is a delivery if and only if there is the event. */
export function createOutbox(queued: () => void): EventListener {
  const told = new WeakSet<KeptEvent>()
  return {
    async happened(ctx: BrandTx, events: readonly KeptEvent[]): Promise<void> {
      const queued = events.map((event) => ({
        event: event.type,
        board_id: event.board_id,
        payload: payloadOf(event),
        patterns: patternsOf(event.type),
      }))
      const count = await insertDeliveries(ctx, queued)
      if (count > 0) for (const event of events) told.add(event)
    },
    committed(_, event) {
      if (told.has(event)) queued()
    },
  }
}
