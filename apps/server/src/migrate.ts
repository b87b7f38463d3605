import { configOrExit } from './config.ts'

// First, as in api.ts.
const config = configOrExit()
const { allJobs } = await import('@crewhall/contracts/jobs.ts')
const { runMigrate } = await import('./run-migrate.ts')

await runMigrate(config, allJobs)
