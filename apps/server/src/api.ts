import { allRoutes } from '@crewhall/contracts/routes.ts'
import { configOrExit } from './config.ts'
import { createModules } from './modules.ts'
import { runApi } from './run-api.ts'

await runApi(configOrExit(), createModules, allRoutes)
