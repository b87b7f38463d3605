import { fileURLToPath } from 'node:url'
import type { JobSpec } from '@crewhall/contracts/job.ts'
import { migrate } from '#platform/db/migrate.ts'
import { installJobs } from '#platform/jobs/install.ts'
import type { Config } from './config.ts'
import { createParts } from './parts.ts'

const folder = fileURLToPath(new URL('../migrations', import.meta.url))

/** Brings a database to the state this version needs: tables, queues, schedules. Safe to run at any time. */
export async function runMigrate(config: Config, jobs: readonly JobSpec[]): Promise<void> {
  const parts = await createParts(config, 'migrate')
  const applied = await migrate(config.DATABASE_URL, folder, parts.log)
  await installJobs(parts.engine, parts.database, jobs, parts.log)
  parts.log.info({ applied }, 'database is up to date')
  await parts.close()
}
