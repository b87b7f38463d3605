import { z } from 'zod'
import { job } from '../job.ts'
import { Uuid } from '../wire.ts'
import { Actor } from './card-fields.ts'

/** Ends claims whose lease has expired on cards that nobody has touched since. */
export const endLeases = job({
  name: 'boards.end-leases',
  payload: z.object({}),
  cron: '* * * * *',
})

/** Updates or moves the cards of a large column in batches. */
export const carryColumn = job({
  name: 'boards.carry-column',
  payload: z.object({ brand_id: z.int(), column_id: Uuid, actor: Actor }),
  // Each batch commits, so another attempt continues where the last one stopped.
  retry_seconds: [5, 30, 300, 600, 1800, 7200],
  limit_seconds: 1800,
  batch_size: 4,
})

/** Gives cards of a label its new name, or takes it from them, in batches. */
export const carryLabel = job({
  name: 'boards.carry-label',
  payload: z.object({ brand_id: z.int(), board_id: Uuid, label_id: Uuid, actor: Actor }),
  // Each batch commits, so another attempt continues where the last one stopped.
  retry_seconds: [5, 30, 300, 600, 1800, 7200],
  limit_seconds: 1800,
  batch_size: 4,
})

/** Creates the cards of an import, or deletes them again, in batches. */
export const runImport = job({
  name: 'boards.run-import',
  payload: z.object({ brand_id: z.int(), import_id: Uuid }),
  // Each batch commits, so another attempt continues where the last one stopped.
  retry_seconds: [5, 30, 300, 600, 1800, 7200],
  limit_seconds: 1800,
  batch_size: 4,
})

/** Removes files that nobody started and imports that are too old to undo, and wakes those that stand still. */
export const sweepImports = job({
  name: 'boards.sweep-imports',
  payload: z.object({}),
  cron: '27 * * * *',
})

/** Creates upcoming partitions of the activity feeds and drops expired ones. */
export const rollActivity = job({
  name: 'boards.roll-activity',
  payload: z.object({}),
  cron: '9 2 * * *',
})
