import { loadConfig } from '../../src/config.ts'
import { runWorker } from '../../src/run-worker.ts'
import { createProbeModules } from './probe.module.ts'

await runWorker(loadConfig(), createProbeModules)
