import { Gauge } from 'prom-client'
import type { Database } from '#platform/db/database.ts'
import { deadQueue } from '#platform/jobs/engine.ts'
import { countDead, findOldestDue } from '#platform/jobs/ledger.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { scrapedRead } from '#platform/metrics/scraped-read.ts'

/** How late the queue is: the age of the job that has been due for longest. */
export function watchOldestJob(metrics: Metrics, database: Database): void {
  metrics.watchOldest('job', async () => {
    const oldest = await database.statements.first(findOldestDue, { dead: deadQueue.name })
    return oldest?.seconds ?? 0
  })
}

/** Jobs that gave up, after their last attempt or at the crash limit. An alarm belongs on this number. */
export function watchDeadJobs(metrics: Metrics, database: Database, log: Log): void {
  const counted = scrapedRead(() =>
    database.statements.all(countDead, { queue: deadQueue.name }).catch((error) => {
      log.warn({ error }, 'could not count dead jobs')
      throw error
    }),
  )
  new Gauge({
    name: 'crewhall_jobs_dead',
    help: 'Jobs that failed for good and need attention',
    labelNames: ['job'],
    registers: [metrics.registry],
    async collect() {
      const rows = await counted()
      // The other metrics matter most while the database is down, and these stay as they were.
      if (!rows) return
      this.reset()
      for (const { job, dead } of rows) this.set({ job }, dead)
    },
  })
}
