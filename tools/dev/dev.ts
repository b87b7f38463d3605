import { spawn, spawnSync } from 'node:child_process'
import { findServiceFacts } from '@crewhall/services/facts.ts'
import { withServiceEnv } from './service-env.ts'

/**
 * Migrates the local database, then runs the API and a worker, and a hub if there is a key for one, and restarts them when
 * their files change.
 */
const env = withServiceEnv(process.env)
if (!env.DATABASE_URL || !env.REDIS_URL) {
  const hint = findServiceFacts() ? '' : ', or run `npm run services -- up` first'
  console.error(`Set DATABASE_URL and REDIS_URL${hint}.`)
  process.exit(1)
}
const migrated = spawnSync(process.execPath, ['apps/server/src/migrate.ts'], { stdio: 'inherit', env })
if (migrated.status !== 0) process.exit(1)

console.log(`API: http://127.0.0.1:${env.HTTP_PORT ?? 8400}/api/v1/docs/ (Ctrl-C stops it)`)

const names = ['api', 'worker', ...(env.MESH_HUB_PRIVATE_KEY_FILE ? ['hub'] : [])]
const children = names.map((name) =>
  spawn(process.execPath, ['--watch', `apps/server/src/${name}.ts`], { stdio: 'inherit', env }),
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal)
  })
}
