import { allRoutes } from '@crewhall/contracts/routes.ts'
import { loadConfig } from '../../src/config.ts'
import { runApi } from '../../src/run-api.ts'
import { probeRoutes } from './probe.contract.ts'
import { createProbeModules } from './probe.module.ts'

await runApi(loadConfig(), createProbeModules, [...allRoutes, ...Object.values(probeRoutes.probe)])
