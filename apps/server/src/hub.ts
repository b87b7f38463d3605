import { configOrExit } from './config.ts'
import { runHub } from './run-hub.ts'

await runHub(configOrExit())
