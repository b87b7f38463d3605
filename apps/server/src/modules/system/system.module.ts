import type { Info } from '@crewhall/contracts/system/system.ts'
import { DatabaseProbe } from '#platform/db/database-probe.ts'
import { docsPath } from '#platform/http/docs.ts'
import type { Log } from '#platform/log/log.ts'
import type { Module } from '#platform/modules/module.ts'
import { RedisProbe } from '#platform/redis/redis-probe.ts'
import type { Config } from '../../config.ts'
import { systemRoutes } from './system.routes.ts'
import { createHealthCheck } from './system.service.ts'

interface Deps {
  readonly config: Pick<Config, 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'REDIS_URL' | 'ENVIRONMENT'>
  readonly log: Log
  readonly version: string
}

/** SYS-07: a service that hangs becomes a 503 within this limit, and the question never waits for the pool. */
const probeLimitMs = 1000

export function createSystem({ config, log, version }: Deps): Module {
  const database = new DatabaseProbe({
    url: config.DATABASE_URL,
    is_pooled: config.DATABASE_DIRECT_URL !== undefined,
  })
  const redis = new RedisProbe(config.REDIS_URL, probeLimitMs, log)
  const probes = {
    database: () => database.check(probeLimitMs),
    redis: () => redis.check(),
    close: async () => {
      await database.close()
      redis.close()
    },
  }
  const info: Info = { name: 'crewhall', version, environment: config.ENVIRONMENT, docs_url: docsPath }
  const checkHealth = createHealthCheck(probes, () => performance.now())
  return { routes: systemRoutes({ checkHealth, info }), close: probes.close }
}
