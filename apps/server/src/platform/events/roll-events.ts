import { rollEvents } from '@crewhall/contracts/jobs.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { rollPartitions } from '#platform/jobs/roll-partitions.ts'

const roll = statement<{ keep: number }, unknown>((p) => sql`select platform.roll_events(${p.keep})`)

export const createRollEventsJob = (keep: number) =>
  onJob(rollEvents, (ctx, _, { signal }) => rollPartitions(signal, () => ctx.db.run(roll, { keep })))
