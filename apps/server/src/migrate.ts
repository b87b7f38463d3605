import { allJobs } from '@crewhall/contracts/jobs.ts'
import { loadConfig } from './config.ts'
import { runMigrate } from './run-migrate.ts'

await runMigrate(loadConfig(), allJobs)
