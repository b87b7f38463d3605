import { configOrExit } from './config.ts'

// Before anything else is loaded: to find a thousand files may take a while, and a wrong setting should be told at once.
const config = configOrExit()
const { allRoutes } = await import('@crewhall/contracts/routes.ts')
const { createModules } = await import('./modules.ts')
const { runApi } = await import('./run-api.ts')

await runApi(config, createModules, allRoutes)
