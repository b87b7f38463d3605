import { rollAudit } from '@crewhall/contracts/jobs.ts'
import { sqlStatement } from '#platform/db/statement.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { rollPartitions } from '#platform/jobs/roll-partitions.ts'

const roll = sqlStatement<{ keep: number }, unknown>('select platform.roll_audit($1)', 'keep')

export const createRollAuditJob = (keep: number) =>
  onJob(rollAudit, (ctx, _, { signal }) => rollPartitions(signal, () => ctx.db.run(roll, { keep })))
