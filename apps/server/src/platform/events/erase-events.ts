import { deletingRows } from '#platform/db/brand-rows.ts'
import { type ErasurePart, emptying } from '#platform/erasure/erasure-part.ts'

const events = deletingRows('platform.workspace_events', 'created_at', 'id')
const marks = deletingRows('platform.event_marks')

/** Of people they hold numbers alone. */
export const eventsErasure: ErasurePart = {
  part: 'events',
  brand: emptying(
    (ctx, limit) => ctx.db.run(events, { limit }),
    (ctx, limit) => ctx.db.run(marks, { limit }),
  ),
}
