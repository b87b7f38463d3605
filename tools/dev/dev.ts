import { spawn, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { findServiceFacts } from '@crewhall/services/facts.ts'
import { withServiceEnv } from './service-env.ts'

/**
 * Migrates the local database, then runs the API and a worker, and a hub if there is a key for one, and restarts them when
 * their files change. The server of the dashboard takes the port of the API and passes on what is not its own, so that there
 * is one origin, as in production.
 */
const env = withServiceEnv(process.env)
if (!env.DATABASE_URL || !env.REDIS_URL) {
  const hint = findServiceFacts() ? '' : ', or run `npm run services -- up` first'
  console.error(`Set DATABASE_URL and REDIS_URL${hint}.`)
  process.exit(1)
}
const migrated = spawnSync(process.execPath, ['apps/server/src/migrate.ts'], { stdio: 'inherit', env })
if (migrated.status !== 0) process.exit(1)

const port = Number(env.HTTP_PORT ?? 8400)
const apiPort = port + 1
console.log(`Dashboard: http://127.0.0.1:${port}/dashboard/ (Ctrl-C stops it)`)
console.log(`API: http://127.0.0.1:${port}/api/v1/docs/`)

const names = ['api', 'worker', ...(env.MESH_HUB_PRIVATE_KEY_FILE ? ['hub'] : [])]
const children = names.map((name) =>
  spawn(process.execPath, ['--watch', `apps/server/src/${name}.ts`], {
    stdio: 'inherit',
    env: { PUBLIC_URL: `http://127.0.0.1:${port}`, ...env, HTTP_PORT: String(apiPort) },
  }),
)
children.push(
  spawn(resolve('node_modules/.bin/vite'), [], {
    cwd: 'apps/dashboard',
    stdio: 'inherit',
    env: { ...env, DASHBOARD_PORT: String(port), DASHBOARD_API_URL: `http://127.0.0.1:${apiPort}` },
  }),
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal)
  })
}
