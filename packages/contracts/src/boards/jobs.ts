import { z } from 'zod'
import { job } from '../job.ts'
import { Uuid } from '../wire.ts'
import { Actor } from './card-fields.ts'

/** Leases that ended on cards which nobody has touched since. */
export const endLeases = job({
  name: 'boards.end-leases',
  payload: z.object({}),
  cron: '* * * * *',
})

/** Cards of a column that are too many for one request take over its status, or leave it, a bite at a time. */
export const carryColumn = job({
  name: 'boards.carry-column',
  payload: z.object({ brand_id: z.int(), column_id: Uuid, actor: Actor }),
  // What is done stays done, so another attempt goes on where the last one ended.
  retry_seconds: [5, 30, 300, 600, 1800, 7200],
  limit_seconds: 1800,
  batch_size: 4,
})

/** Makes the coming months of the activity feeds, and drops those past their time. */
export const rollActivity = job({
  name: 'boards.roll-activity',
  payload: z.object({}),
  cron: '9 2 * * *',
})
