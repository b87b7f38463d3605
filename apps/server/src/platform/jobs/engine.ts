import type { JobSpec } from '@crewhall/contracts/job.ts'
import { type ConstructorOptions, PgBoss, type Queue } from 'pg-boss'
import type { Log } from '#platform/log/log.ts'

export interface EngineOptions {
  readonly url: string
  readonly connect_timeout_ms: number
  readonly heartbeat_seconds: number
  readonly supervise_seconds: number
}

const schema = 'pgboss'
const statementTimeoutMs = 20_000
const day = 86_400

/** How long a job that is done can still be looked at. */
const doneSeconds = 600

/** How often a job whose worker died is handed out again. Ours counts failures; this only ends poison pills. */
const crashLimit = 20

/** Where jobs end that gave up. Nobody works here: it waits for a person. */
export const deadQueue: Queue = {
  name: 'jobs.dead',
  policy: 'standard',
  retentionSeconds: 90 * day,
  notify: false,
}

export function createEngine(
  options: EngineOptions,
  role: 'sender' | 'worker' | 'installer',
  log: Log,
): PgBoss {
  const settings: ConstructorOptions & { query_timeout: number; keepAlive: boolean } = {
    connectionString: options.url,
    application_name: `crewhall-jobs-${role}`,
    schema,
    max: role === 'worker' ? 6 : 2,
    connectionTimeoutMillis: options.connect_timeout_ms,
    // All that a role may have for connections through a pooler is set here.
    options: `-c TimeZone=UTC -c statement_timeout=${statementTimeoutMs} -c lock_timeout=0 -c idle_in_transaction_session_timeout=0`,
    // The server's own limit comes first; this one is for a silently dropped connection. Without it a fetch would wait
    // forever, and the process would look healthy and do nothing.
    query_timeout: statementTimeoutMs + 500,
    keepAlive: true,
    migrate: role === 'installer',
    supervise: role === 'worker',
    schedule: false,
    superviseIntervalSeconds: options.supervise_seconds,
    maintenanceIntervalSeconds: doneSeconds / 2,
    monitorIntervalSeconds: Math.max(options.supervise_seconds, 1),
    queueCacheIntervalSeconds: 10,
    useListenNotify: role === 'worker',
    // Only the owner of an index may rebuild it, and the product owns nothing.
    reindex: false,
  }
  const boss = new PgBoss(settings)
  let toldAt = Number.NEGATIVE_INFINITY
  boss.on('error', ({ message, stack }) => {
    // While the database is down every poller reports it; one log line a second is enough.
    if (performance.now() - toldAt < 1000) return
    toldAt = performance.now()
    // The engine emits plain objects, which the log would not recognize as errors.
    log.warn({ error: Object.assign(new Error(message), { stack }) }, 'job engine')
  })
  boss.on('warning', (warning) => log.warn({ warning }, 'job engine'))
  return boss
}

/** What a job's contract says, in the engine's words. */
export function queueOf(spec: JobSpec, options: EngineOptions): Queue {
  return {
    name: spec.name,
    policy: 'standard',
    retryLimit: crashLimit,
    // 1 to 2 s after the first crash, up to a minute later on: a poison pill must not keep all workers down.
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
    // The engine times the whole batch, and in the worst case its jobs run one after another. The limit
    // of a single run is kept by us.
    expireInSeconds: Math.min(day, spec.limit_seconds * spec.batch_size + 60),
    heartbeatSeconds: options.heartbeat_seconds,
    // Jobs must outlive weeks without a worker; the engine would drop them after fourteen days.
    retentionSeconds: 365 * day,
    // The engine reads the whole table every few seconds to count; what is done must not lie in it.
    deleteAfterSeconds: doneSeconds,
    deadLetter: deadQueue.name,
    notify: spec.notify,
  }
}
