import { z } from 'zod'
import { job } from '../job.ts'
import { Uuid } from '../wire.ts'

/** Builds what a hire consists of, step by step, from where the last attempt came to. Waits for servers of packages. */
export const buildHire = job({
  name: 'hires.build',
  payload: z.object({
    brand_id: z.int(),
    hire_id: Uuid,
    /** Only if it has failed so often and not more: somebody may have tried meanwhile. */
    after_failures: z.int().optional(),
  }),
  batch_size: 8,
})

/** Builds that nobody works on: their job was lost or has given up. */
export const findLostBuilds = job({
  name: 'hires.find-lost-builds',
  payload: z.object({}),
  cron: '* * * * *',
})

/** Ends the credential at a desk that was released, or whose key two machines have. */
export const forgetDesk = job({
  name: 'hires.forget-desk',
  payload: z.object({ brand_id: z.int(), desk_id: Uuid }),
})

/** Ends a canceled hire when its time has come. */
export const endHire = job({
  name: 'hires.end',
  payload: z.object({ brand_id: z.int(), hire_id: Uuid }),
})

/** Renews hires whose period is over, and ends those that no job has ended. */
export const sweepPeriods = job({
  name: 'hires.sweep-periods',
  payload: z.object({}),
  cron: '* * * * *',
})

/** Removes directories and records of ended hires that could not be removed at once. */
export const removeEnded = job({
  name: 'hires.remove-ended',
  payload: z.object({}),
  cron: '* * * * *',
  // Disks may hang.
  batch_size: 1,
})
