import { allJobs } from '@crewhall/contracts/jobs.ts'
import { configOrExit } from './config.ts'
import { runMigrate } from './run-migrate.ts'

await runMigrate(configOrExit(), allJobs)
