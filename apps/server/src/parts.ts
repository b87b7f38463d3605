import type { DatabaseHandle } from '@crewhall/contracts/database-handles.ts'
import type pg from 'pg'
import { bulkheads } from '#platform/bulkheads/bulkheads.ts'
import { JointQueues } from '#platform/bulkheads/joint-queues.ts'
import { createTurnQueues } from '#platform/bulkheads/turns.ts'
import { type Clock, fileClock, systemClock } from '#platform/clock/clock.ts'
import type { CtxParts, EventListener } from '#platform/ctx/ctx.ts'
import type { Handle } from '#platform/ctx/handles.ts'
import { createCursors } from '#platform/cursor/cursor.ts'
import type { ConnectionWaits } from '#platform/db/connections.ts'
import { Database } from '#platform/db/database.ts'
import { createPool } from '#platform/db/pool.ts'
import { createEmbeddings, type EmbeddingSource } from '#platform/embeddings/embeddings.ts'
import { WakeUps } from '#platform/events/wake-ups.ts'
import { type FaultPoint, faultPointsOf } from '#platform/fault-points/fault-points.ts'
import { createImages } from '#platform/images/images.ts'
import { createEngine, type EngineOptions } from '#platform/jobs/engine.ts'
import { JobQueue } from '#platform/jobs/queue.ts'
import { createLlm } from '#platform/llm/llm.ts'
import { createLog, flushed, type Log } from '#platform/log/log.ts'
import { createMail } from '#platform/mail/mail.ts'
import { createMetrics, type Metrics } from '#platform/metrics/metrics.ts'
import { createOutbound } from '#platform/outbound/outbound.ts'
import { Readiness } from '#platform/readiness/readiness.ts'
import { createRedis } from '#platform/redis/redis.ts'
import { createKeyRing } from '#platform/secrets/key-ring.ts'
import { createSecretBox } from '#platform/secrets/secret-box.ts'
import { createSharedFiles } from '#platform/shared-files/shared-files.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { Hold, heldMail } from '#platform/timeline/hold.ts'
import { askTimeline, Timeline } from '#platform/timeline/timeline.ts'
import { createToolServers } from '#platform/tool-servers/tool-servers.ts'
import { createTracing } from '#platform/trace/trace.ts'
import type { Config } from './config.ts'
import { databaseWay, directUrl } from './database-way.ts'
import { migrationsFolder } from './migrations-folder.ts'
import { version } from './version.ts'

export type ProcessName = 'api' | 'worker' | 'hub' | 'migrate' | 'create-staff' | 'verify-data' | 'admin'
export type Parts = Awaited<ReturnType<typeof createParts>>

/** Everything a process stands on, made from its configuration. Nothing here waits for a connection. */
export async function createParts(config: Config, processName: ProcessName) {
  const log = createLog({ level: config.LOG_LEVEL, process_name: processName })
  const metrics = createMetrics()
  const timeline = createTimeline(config, log, () => database)
  const greet =
    processName === 'migrate' || processName === 'admin'
      ? undefined
      : (client: pg.ClientBase) => timeline.meet(client)
  const making: Making = { config, process_name: processName, log, metrics, ...(greet ? { greet } : {}) }
  const database = createDatabase(making)
  const handles = createHandles(making)
  const readiness = new Readiness({
    database: databaseWay(config, processName),
    folder: migrationsFolder,
    version,
    monotonicMs: () => performance.now(),
  })
  const engine = engineOptions(config)
  const queue = new JobQueue(createEngine(engine, 'sender', log))
  const redisOptions = { url: config.REDIS_URL, command_timeout_ms: config.REDIS_TIMEOUT_MS }
  const redis = createRedis({ ...redisOptions, prefix: config.REDIS_PREFIX }, log)
  const wake_ups = new WakeUps({
    publisher: redis,
    connect: () => createRedis({ ...redisOptions, prefix: '' }, log),
    channel: `${config.REDIS_PREFIX}wake-ups`,
    log,
  })
  const storage = createStorage(storageOptions(config))
  const agent_files = await createSharedFiles(config.AGENT_FILES_DIR)
  const images = createImages(log)
  const hold = new Hold(() => database.statements)
  const smtp = { url: config.SMTP_URL, from: config.MAIL_FROM, timeout_ms: config.MAIL_TIMEOUT_MS }
  const mail = heldMail(createMail(smtp), hold)
  const embeddings = createEmbeddings(
    { source: embeddingSource(config), query_ms: config.EMBEDDINGS_QUERY_TIMEOUT_MS },
    log,
    metrics,
  )
  const llm = createLlm(llmOptions(config), log, metrics)
  const tracing = await createTracing(config.OTEL_EXPORTER_OTLP_ENDPOINT, `crewhall-${processName}`)
  const clock: Clock = config.TEST_CLOCK_FILE ? fileClock(config.TEST_CLOCK_FILE) : systemClock
  const outbound = createOutbound({
    allowed_networks: config.OUTBOUND_ALLOWED_NETWORKS,
    name_servers: config.OUTBOUND_NAME_SERVERS,
  })
  const key_ring = createKeyRing(config.SIGNING_KEY, config.SIGNING_KEYS_ACCEPTED)
  const faultPoint: FaultPoint = faultPointsOf(config.TEST_FAULT_POINTS)
  // Filled by the modules, which need the parts first.
  const listeners: EventListener[] = []
  const ctx: CtxParts = {
    database,
    handles,
    // A job waits where it must; callers wait in line.
    ...(processName === 'api'
      ? { turns: turnQueues(config, metrics), joint: jointQueues(config, metrics) }
      : {}),
    clock,
    fault_point: faultPoint,
    listeners,
    enqueue: (...args) => queue.enqueue(...args),
  }
  return {
    config,
    version,
    log,
    metrics,
    tracing,
    readiness,
    clock,
    database,
    queue,
    engine,
    redis,
    wake_ups,
    storage,
    agent_files,
    images,
    mail,
    hold,
    embeddings,
    llm,
    outbound,
    tool_servers: createToolServers({ outbound, version }),
    key_ring,
    cursors: createCursors(key_ring, timeline),
    secret_box: createSecretBox(key_ring),
    ctx,
    listeners,
    async close() {
      await queue.close()
      await readiness.close()
      await Promise.all(
        [database, handles.memory.database, handles.code_index.database].map((each) => each.close()),
      )
      wake_ups.close()
      redis.disconnect()
      storage.close()
      images.close()
      mail.close()
      outbound.close()
      await embeddings.close()
      await tracing.close()
      await flushed(log)
    },
  }
}

/** What databases are made from. */
interface Making {
  readonly config: Config
  readonly process_name: ProcessName
  readonly log: Log
  readonly metrics: Metrics
  readonly greet?: (client: pg.ClientBase) => Promise<void>
}

const createTimeline = (config: Config, log: Log, database: () => Database): Timeline =>
  new Timeline({
    limit_ms: config.DATABASE_STATEMENT_TIMEOUT_MS,
    onChanged() {
      const fact = { restored: true }
      log.fatal(
        fact,
        'the database was restored to an earlier moment; exiting, to remember nothing that came after it',
      )
      process.exitCode = 1
      process.kill(process.pid, 'SIGTERM')
    },
    onUnknown() {
      askTimeline(database()).catch((error: unknown) =>
        log.warn({ error }, 'the timeline of the database is not known yet'),
      )
    },
  })

function createDatabase({ config, process_name, log, metrics, ...more }: Making): Database {
  const isApi = process_name === 'api'
  const options = {
    ...databaseWay(config, process_name),
    size: config.DATABASE_POOL_SIZE,
    // A job may wait for its turn; a caller may not.
    connect_timeout_ms: config.DATABASE_CONNECT_TIMEOUT_MS * (isApi ? 1 : 10),
    statement_timeout_ms: config.DATABASE_STATEMENT_TIMEOUT_MS,
    ...(isApi ? { lock_timeout_ms: config.DATABASE_LOCK_TIMEOUT_MS } : {}),
    idle_transaction_timeout_ms: config.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
    application_name: `crewhall-${process_name}`,
    ...more,
  }
  // The server's own limit comes first; this one is for a server that is frozen or cut off.
  const answerLimitMs = config.DATABASE_STATEMENT_TIMEOUT_MS + 250
  if (!isApi) return new Database(createPool(options, log), answerLimitMs)
  const { walks, workspace } = bulkheads
  const walkPool = createPool(
    {
      ...options,
      url: directUrl(config),
      is_pooled: false,
      size: walks.pool_size,
      application_name: 'crewhall-walks',
      avoids_sorts: true,
    },
    log,
  )
  return new Database(createPool(options, log), answerLimitMs, {
    share: {
      ...workspace,
      places: shareOf(options.size),
      wait_ms: options.connect_timeout_ms,
    },
    // A walk is one long statement after the other, so it is waited for as long as for a statement.
    walks: new Database(walkPool, answerLimitMs, {
      share: { ...walks.workspace, wait_ms: options.statement_timeout_ms },
    }),
    waits: waitsOf(metrics, 'main'),
  })
}

function createHandles(making: Making): Readonly<Record<DatabaseHandle, Handle>> {
  const { config } = making
  const created = (settings: HandleSettings) => createHandle(settings, making)
  return {
    memory: created({
      part: 'memory',
      url: config.MEMORY_DATABASE_URL,
      size: config.MEMORY_DATABASE_POOL_SIZE,
      deadline_ms: config.MEMORY_DEADLINE_MS,
    }),
    code_index: created({
      part: 'code_index',
      url: config.CODE_INDEX_DATABASE_URL,
      size: config.CODE_INDEX_DATABASE_POOL_SIZE,
      deadline_ms: config.CODE_INDEX_DEADLINE_MS,
    }),
  }
}

interface HandleSettings {
  readonly part: DatabaseHandle
  readonly url: string | undefined
  readonly size: number
  readonly deadline_ms: number
}

/**
 * The same database by another way. Its limits lie behind the deadline of its requests, which alone decides when a caller
 * is told that there was no response.
 */
function createHandle(
  { part, url, size, deadline_ms }: HandleSettings,
  { config, process_name, log, metrics, ...greeting }: Making,
): Handle {
  const isApi = process_name === 'api'
  // A worker writes there as well, and has no caller to tell.
  const limitMs = Math.max(deadline_ms + 1000, isApi ? 0 : config.DATABASE_STATEMENT_TIMEOUT_MS)
  const pool = createPool(
    {
      url: url ?? directUrl(config),
      size,
      connect_timeout_ms: limitMs,
      statement_timeout_ms: limitMs,
      ...(isApi ? { lock_timeout_ms: config.DATABASE_LOCK_TIMEOUT_MS } : {}),
      idle_transaction_timeout_ms: config.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
      application_name: `crewhall-${process_name}-${part}`,
      ...greeting,
    },
    log,
  )
  const more = {
    share: { ...bulkheads.workspace, places: shareOf(size), wait_ms: limitMs },
    waits: waitsOf(metrics, part),
  }
  return { database: new Database(pool, limitMs + 250, { part, ...(isApi ? more : {}) }), deadline_ms }
}

/** How many connections one workspace may hold. */
const shareOf = (size: number): number => Math.max(1, Math.floor(size * bulkheads.workspace.share_of_pool))

function waitsOf({ connection_wait_seconds }: Metrics, handle: 'main' | DatabaseHandle): ConnectionWaits {
  const observe = (reason: string) => {
    const series = connection_wait_seconds.labels({ reason, handle })
    return (seconds: number) => series.observe(seconds)
  }
  return { pool: observe('pool'), share: observe('share') }
}

const turnQueues = (config: Config, { turn_wait_seconds }: Metrics) =>
  createTurnQueues(config.DATABASE_CONNECT_TIMEOUT_MS, {
    queued: (kind, seconds) => turn_wait_seconds.observe({ kind, at: 'queue' }, seconds),
    locked: (kind, seconds) => turn_wait_seconds.observe({ kind, at: 'lock' }, seconds),
  })

const jointQueues = (config: Config, { turn_wait_seconds }: Metrics) =>
  new JointQueues({ ...bulkheads.joint, wait_ms: config.DATABASE_CONNECT_TIMEOUT_MS }, (seconds) =>
    turn_wait_seconds.observe({ kind: 'board', at: 'queue' }, seconds),
  )

export const engineOptions = (config: Config): EngineOptions => ({
  // It listens, and has limits of its own.
  url: directUrl(config),
  connect_timeout_ms: config.DATABASE_CONNECT_TIMEOUT_MS,
  heartbeat_seconds: config.JOBS_HEARTBEAT_SECONDS,
  supervise_seconds: config.JOBS_SUPERVISE_SECONDS,
})

function storageOptions(config: Config) {
  const { S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = config
  if (!S3_ENDPOINT || !S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY) return undefined
  return {
    endpoint: S3_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    prefix: config.S3_PREFIX,
    access_key_id: S3_ACCESS_KEY_ID,
    secret_access_key: S3_SECRET_ACCESS_KEY,
    timeout_ms: config.S3_TIMEOUT_MS,
  }
}

function embeddingSource(config: Config): EmbeddingSource {
  const { EMBEDDINGS: kind, EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model } = config
  if (kind !== 'url') return { kind }
  if (!url || !model) throw new Error('the configuration was not checked')
  return {
    kind,
    url,
    api_key: config.EMBEDDINGS_API_KEY,
    model,
    dimension: config.EMBEDDINGS_DIMENSIONS,
    sends_dimension: config.EMBEDDINGS_SEND_DIMENSIONS,
    prefix: { query: config.EMBEDDINGS_QUERY_PREFIX, document: config.EMBEDDINGS_DOCUMENT_PREFIX },
    piece_characters: config.EMBEDDINGS_PIECE_CHARACTERS,
    concurrency: config.EMBEDDINGS_CONCURRENCY,
    limit_ms: { query: config.EMBEDDINGS_QUERY_TIMEOUT_MS, document: config.EMBEDDINGS_TIMEOUT_MS },
  }
}

function llmOptions(config: Config) {
  const { LLM_URL: url, LLM_MODEL: model } = config
  if (!url || !model) return undefined
  return {
    url,
    model,
    api_key: config.LLM_API_KEY,
    format: config.LLM_FORMAT,
    token_limit_field: config.LLM_TOKEN_LIMIT_FIELD,
    temperature: config.LLM_TEMPERATURE,
    concurrency: config.LLM_CONCURRENCY,
  }
}
