import { sweep } from '@crewhall/contracts/jobs.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { type MountedJob, onJob } from '#platform/jobs/job-handler.ts'
import { sweepEffects } from '#platform/jobs/ledger.ts'
import { port } from '#platform/modules/port.ts'

/** Expired rows of one table, or marks in it that are no longer true. */
export interface Sweep {
  readonly table: string
  /** Deletes or unmarks at most `limit` rows, found through an index, and returns how many. */
  bite(ctx: SystemCtx, limit: number): Promise<number>
}

export const sweeps = port<Sweep>('platform.sweeps')

const limit = 2000

/** One job for all rows that expire. Small batches: no statement holds a lock for long. */
export const createSweepJob = (sweeps: readonly Sweep[]): MountedJob =>
  onJob(sweep, async (ctx, _, { signal }) => {
    const failures: unknown[] = []
    for (const { table, bite } of sweeps) {
      try {
        let swept = 0
        for (let found = limit; found === limit && !signal.aborted; swept += found) {
          found = await bite(ctx, limit)
          await ctx.faultPoint('platform.sweep')
        }
        if (swept > 0) ctx.log.info({ table, swept }, 'swept')
      } catch (error) {
        // One table that cannot be swept must not let the others grow.
        ctx.log.warn({ error, table }, 'could not delete expired rows')
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  })

/** Longer than any job may wait between attempts, with a wide margin. */
const days = 30
export const effectsSweep: Sweep = {
  table: 'jobs.effects',
  bite: (ctx, limit) => ctx.db.run(sweepEffects, { days, limit }),
}
