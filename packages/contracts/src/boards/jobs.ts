import { z } from 'zod'
import { job } from '../job.ts'

/** Leases that ended on cards which nobody has touched since. */
export const endLeases = job({
  name: 'boards.end-leases',
  payload: z.object({}),
  cron: '* * * * *',
})
