import { randomBytes, randomUUID } from 'node:crypto'
import { job } from '@crewhall/contracts/job.ts'
import { loadConfig } from '@crewhall/server/config.ts'
import { createParts, engineOptions } from '@crewhall/server/parts.ts'
import { systemCtx } from '@crewhall/server/platform/ctx/ctx.ts'
import { sql, statement } from '@crewhall/server/platform/db/statement.ts'
import { createEngine } from '@crewhall/server/platform/jobs/engine.ts'
import { onJob } from '@crewhall/server/platform/jobs/job-handler.ts'
import { startWorker } from '@crewhall/server/platform/jobs/worker.ts'
import { runMigrate } from '@crewhall/server/run-migrate.ts'
import { createDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { z } from 'zod'
import { median } from './median.ts'

export interface Drain {
  readonly jobs_per_s: number
  readonly cpu_us: number
}
export interface JobsBench {
  readonly bare: readonly Drain[]
  readonly ours: readonly Drain[]
  /** Median of the rounds: ours over the bare engine of the same round. */
  readonly ratio: number
  /** Transactions a second, one after another on one connection each. */
  readonly enqueue: { readonly ours: number; readonly bare: number; readonly insert: number }
}

const idle = job({ name: 'bench.idle', payload: z.object({}), batch_size: 100, notify: false })
const schema = 'pgboss'

/** Drains no-ops with the engine alone and with ours on top of it, in turns, each in a database of its own. */
export async function benchJobs(rounds = 5, count = 5000, sends = 1500): Promise<JobsBench> {
  const databases = await Promise.all([freshDatabase(), freshDatabase()])
  const [one, two] = databases
  const bare = await bareSide(one)
  const ours = await ourSide(two)
  try {
    // The first round of each warms up code and caches.
    await bare.drain(count)
    await ours.drain(count)
    const bareDrains: Drain[] = []
    const ourDrains: Drain[] = []
    for (let round = 0; round < rounds; round += 1) {
      const sides = [
        async () => bareDrains.push(await bare.drain(count)),
        async () => ourDrains.push(await ours.drain(count)),
      ]
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side()
    }
    const ratios = ourDrains.map(
      ({ jobs_per_s }, at) => jobs_per_s / (bareDrains[at]?.jobs_per_s ?? Number.NaN),
    )
    const enqueue = { ours: 0, bare: 0, insert: 0 }
    await ours.enqueue(200)
    await bare.enqueue(200)
    enqueue.insert = await bare.insert(sends)
    enqueue.bare = await bare.enqueue(sends)
    enqueue.ours = await ours.enqueue(sends)
    return { bare: bareDrains, ours: ourDrains, ratio: median(ratios), enqueue }
  } finally {
    await bare.close()
    await ours.close()
    for (const database of databases) await database.drop()
  }
}

const configOf = ({ url, owner_url }: TestDatabase) =>
  loadConfig({
    DATABASE_URL: url,
    DATABASE_OWNER_URL: owner_url,
    REDIS_URL: 'redis://127.0.0.1:1',
    LOG_LEVEL: 'silent',
  })

async function freshDatabase(): Promise<TestDatabase> {
  const database = await createDatabase(`bench_jobs_${randomBytes(4).toString('hex')}`)
  await runMigrate(configOf(database), [idle])
  return database
}

async function bareSide({ owner_url: url }: TestDatabase) {
  const settings = { connectionString: url, schema, schedule: false, migrate: false, max: 6 }
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  const boss = new PgBoss({ ...settings, supervise: false })
  boss.on('error', () => {})
  await boss.start()
  return {
    async drain(count: number): Promise<Drain> {
      await fill(boss, count, () => ({}))
      const worker = new PgBoss({
        ...settings,
        superviseIntervalSeconds: 5,
        monitorIntervalSeconds: 5,
        useListenNotify: true,
      })
      worker.on('error', () => {})
      await worker.start()
      const meter = new Meter(count)
      const options = {
        batchSize: 100,
        burstWhenBatchFull: true,
        localConcurrency: 2,
        pollingIntervalSeconds: 1,
      }
      await worker.work(idle.name, options, async (jobs) => {
        for (const _ of jobs) meter.count()
      })
      const drain = await meter.done(pool)
      await worker.stop({ graceful: true })
      return drain
    },
    async enqueue(sends: number): Promise<number> {
      return rate(sends, () =>
        inTransaction(pool, async (client) => {
          const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) }
          await boss.send(idle.name, {}, { db })
        }),
      )
    },
    async insert(sends: number): Promise<number> {
      await pool.query('create table if not exists public.plain (id uuid primary key, data jsonb not null)')
      return rate(sends, () =>
        inTransaction(pool, (client) =>
          client.query({
            name: 'plain',
            text: 'insert into public.plain values ($1, $2)',
            values: [randomUUID(), '{}'],
          }),
        ),
      )
    },
    async close() {
      await boss.stop({ graceful: false })
      await pool.end()
    },
  }
}

async function ourSide(database: TestDatabase) {
  const config = configOf(database)
  const parts = await createParts(config, 'worker')
  const sender = createEngine(engineOptions(config), 'sender', parts.log)
  await sender.start()
  const { log, metrics, tracing, queue, ctx } = parts
  const system = systemCtx(ctx, log, { kind: 'system', name: 'bench' })
  const touch = statement<object, unknown>(() => sql`select 1`)
  return {
    async drain(count: number): Promise<Drain> {
      await fill(sender, count, () => ({ origin: randomUUID(), attempt: 1, payload: {}, due_ms: Date.now() }))
      const meter = new Meter(count)
      const boss = createEngine(parts.engine, 'worker', log)
      // Each round is a new worker on fresh metrics, as a new process would be.
      metrics.registry.removeSingleMetric('crewhall_jobs_dead')
      metrics.registry.removeSingleMetric('crewhall_oldest_job_seconds')
      const worker = await startWorker({ boss, queue, ctx, log, metrics, tracing, hold: parts.hold }, [
        onJob(idle, async () => meter.count()),
      ])
      const drain = await meter.done(parts.database.pool)
      await worker.stop(5000)
      return drain
    },
    enqueue: (sends: number) =>
      rate(sends, () =>
        system.tx(async (tx) => {
          await tx.db.run(touch, {})
          await tx.enqueue(idle, {})
        }),
      ),
    async close() {
      await sender.stop({ graceful: false })
      await parts.close()
    },
  }
}

async function fill(boss: PgBoss, count: number, data: () => object): Promise<void> {
  await boss.deleteAllJobs(idle.name)
  for (let sent = 0; sent < count; sent += 1000)
    await boss.insert(
      idle.name,
      Array.from({ length: Math.min(1000, count - sent) }, () => ({ data: data() })),
    )
}

/** From the first job that runs until the engine has heard of the last. */
class Meter {
  readonly #count: number
  #seen = 0
  #started = 0
  #cpu = process.cpuUsage()

  constructor(count: number) {
    this.#count = count
  }

  count(): void {
    if (this.#seen === 0) {
      this.#started = performance.now()
      this.#cpu = process.cpuUsage()
    }
    this.#seen += 1
  }

  async done(pool: pg.Pool): Promise<Drain> {
    const open = `select from ${schema}.job where name = '${idle.name}' and state < 'completed' limit 1`
    await waitFor(async () => this.#seen >= this.#count && (await pool.query(open)).rowCount === 0, 120_000)
    const seconds = (performance.now() - this.#started) / 1000
    const { user, system } = process.cpuUsage(this.#cpu)
    return { jobs_per_s: this.#count / seconds, cpu_us: (user + system) / this.#count }
  }
}

async function inTransaction(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<unknown>,
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('select 1')
    await work(client)
    await client.query('commit')
  } finally {
    client.release()
  }
}

async function rate(sends: number, send: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  const rest = Array.from({ length: sends }).values()
  const lane = async () => {
    for (const _ of rest) await send()
  }
  await Promise.all([lane(), lane(), lane(), lane()])
  return (sends / (performance.now() - started)) * 1000
}

if (import.meta.main) console.log(`ratio ${(await benchJobs()).ratio.toFixed(2)}`)
