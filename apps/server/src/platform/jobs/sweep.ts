import { sweepLedger } from '@crewhall/contracts/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { sweepEffects } from '#platform/jobs/ledger.ts'

/** Longer than any job may wait between attempts, with a wide margin. */
const days = 30
const limit = 5000

/** Keeps the ledger from growing for ever. Small bites: no statement of it holds a lock for long. */
export const sweepJob = onJob(sweepLedger, async (ctx) => {
  while ((await ctx.db.run(sweepEffects, { days, limit })) === limit) await ctx.step('jobs.sweep')
})
