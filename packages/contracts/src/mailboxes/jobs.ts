import { z } from 'zod'
import { job } from '../job.ts'

/** Forgets names that anybody may take again. They are free by the clock; this only keeps the table small. */
export const sweepNames = job({
  name: 'mailboxes.sweep-names',
  payload: z.object({}),
  cron: '41 3 * * *',
})
