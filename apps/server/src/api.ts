import { allRoutes } from '@crewhall/contracts/routes.ts'
import { loadConfig } from './config.ts'
import { createModules } from './modules.ts'
import { runApi } from './run-api.ts'

await runApi(loadConfig(), createModules, allRoutes)
