import { spawn } from 'node:child_process'
import { withServiceEnv } from './service-env.ts'

/** Runs a TypeScript file with the addresses of the local services in its environment. */
const child = spawn(process.execPath, process.argv.slice(2), {
  stdio: 'inherit',
  env: withServiceEnv(process.env),
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => process.exit(code ?? 1))
