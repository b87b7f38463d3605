import { configOrExit } from './config.ts'

// First, as in api.ts.
const config = configOrExit()
const { createModules } = await import('./modules.ts')
const { runWorker } = await import('./run-worker.ts')

await runWorker(config, createModules)
