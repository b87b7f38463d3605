import type { JobSpec } from '@crewhall/contracts/job.ts'
import type { PgBoss, Queue } from 'pg-boss'
import type { Database } from '#platform/db/database.ts'
import { createEngine, deadQueue, type EngineOptions, queueOf } from '#platform/jobs/engine.ts'
import { putSchedules } from '#platform/jobs/schedule.ts'
import type { Log } from '#platform/log/log.ts'

/** Brings the engine's tables, the queues and the schedules in line with the contracts. Runs after migrations. */
export async function installJobs(
  options: EngineOptions,
  database: Database,
  specs: readonly JobSpec[],
  log: Log,
): Promise<void> {
  const boss = createEngine(options, 'installer', log)
  await boss.start()
  try {
    await putQueue(boss, deadQueue)
    for (const spec of specs) await putQueue(boss, queueOf(spec, options))
  } finally {
    await boss.stop({ graceful: false })
  }
  await putSchedules(database, specs)
}

async function putQueue(boss: PgBoss, { name, ...queue }: Queue): Promise<void> {
  if (await boss.getQueue(name)) {
    const { policy: _, ...changeable } = queue
    await boss.updateQueue(name, changeable)
  } else await boss.createQueue(name, queue)
}
