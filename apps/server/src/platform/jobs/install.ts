import type { JobSpec } from '@crewhall/contracts/job.ts'
import type { Database } from '#platform/db/database.ts'
import { createEngine, type EngineOptions, queueOf } from '#platform/jobs/engine.ts'
import { syncSchedules } from '#platform/jobs/schedule.ts'
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
    for (const spec of specs) {
      const { name, ...queue } = queueOf(spec, options)
      if (await boss.getQueue(name)) {
        const { policy: _, ...changeable } = queue
        await boss.updateQueue(name, changeable)
      } else await boss.createQueue(name, queue)
    }
  } finally {
    await boss.stop({ graceful: false })
  }
  await syncSchedules(database, specs)
}
