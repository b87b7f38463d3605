import { configOrExit } from './config.ts'
import { createModules } from './modules.ts'
import { runWorker } from './run-worker.ts'

await runWorker(configOrExit(), createModules)
