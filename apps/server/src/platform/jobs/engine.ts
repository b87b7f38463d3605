import type { JobSpec } from '@crewhall/contracts/job.ts'
import { PgBoss, type Queue } from 'pg-boss'
import type { Log } from '#platform/log/log.ts'

export interface EngineOptions {
  readonly url: string
  readonly heartbeat_seconds: number
  readonly supervise_seconds: number
}

const schema = 'pgboss'

/** How often a job whose worker died is handed out again. Ours counts failures; this only ends poison pills. */
const crashLimit = 20

export function createEngine(
  options: EngineOptions,
  role: 'sender' | 'worker' | 'installer',
  log: Log,
): PgBoss {
  const boss = new PgBoss({
    connectionString: options.url,
    application_name: `crewhall-jobs-${role}`,
    schema,
    max: role === 'worker' ? 6 : 2,
    connectionTimeoutMillis: 2000,
    options: '-c TimeZone=UTC -c statement_timeout=30000',
    migrate: role === 'installer',
    supervise: role === 'worker',
    schedule: false,
    superviseIntervalSeconds: options.supervise_seconds,
    monitorIntervalSeconds: Math.max(options.supervise_seconds, 1),
    useListenNotify: role === 'worker',
  })
  boss.on('error', (error) => log.warn({ error }, 'job engine'))
  boss.on('warning', (warning) => log.warn({ warning }, 'job engine'))
  return boss
}

/** What a job's contract says, in the engine's words. */
export function queueOf(spec: JobSpec, options: EngineOptions): Queue {
  return {
    name: spec.name,
    policy: 'standard',
    retryLimit: crashLimit,
    retryDelay: 0,
    expireInSeconds: spec.limit_seconds,
    heartbeatSeconds: options.heartbeat_seconds,
    deleteAfterSeconds: 3600,
    notify: spec.notify,
  }
}
