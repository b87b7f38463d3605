import { configOrExit } from './config.ts'

// First, as in api.ts.
const config = configOrExit()
const { runHub } = await import('./run-hub.ts')

await runHub(config)
