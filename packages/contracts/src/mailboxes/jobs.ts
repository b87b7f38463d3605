import { z } from 'zod'
import { job } from '../job.ts'

/** Deletes expired names. They are already free by their date; this only keeps the table small. */
export const sweepNames = job({
  name: 'mailboxes.sweep-names',
  payload: z.object({}),
  cron: '41 3 * * *',
})
