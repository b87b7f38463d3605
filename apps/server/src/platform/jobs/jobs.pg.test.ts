import { randomUUID } from 'node:crypto'
import { type JobSpec, job } from '@crewhall/contracts/job.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { systemCtx } from '#platform/ctx/ctx.ts'
import { statement, sql as text } from '#platform/db/statement.ts'
import { createEngine } from '#platform/jobs/engine.ts'
import { installJobs } from '#platform/jobs/install.ts'
import { ClaimLost, type MountedJob, onJob } from '#platform/jobs/job-handler.ts'
import { JobQueue } from '#platform/jobs/queue.ts'
import { createSweepJob, effectsSweep } from '#platform/jobs/sweep.ts'
import { startWorker, type Worker } from '#platform/jobs/worker.ts'
import { createLog } from '#platform/log/log.ts'
import { Outage } from '#platform/outage/outage.ts'
import { loadConfig } from '../../config.ts'
import { createParts, type Parts } from '../../parts.ts'

let database: TestDatabase
let parts: Parts
let workers: Worker[] = []
const lines: string[] = []
const log = createLog({
  level: 'info',
  process_name: 'test',
  destination: { write: (line) => lines.push(line) },
})
const ctx = () => systemCtx(parts.ctx, log, { kind: 'system', name: 'test' })
const sql = async <Row>(text: string, ...values: unknown[]) =>
  (await parts.database.pool.query(text, values)).rows as Row[]

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  // As the owner, because tests of this file install queues as a migration does.
  const env = { DATABASE_URL: database.owner_url, REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'silent' }
  parts = await createParts(loadConfig(env), 'worker')
  await sql('create table public.notes (id int primary key)')
})
afterEach(async () => {
  for (const worker of workers) await worker.stop(2000)
  workers = []
  parts.metrics.registry.removeSingleMetric('crewhall_jobs_dead')
  parts.metrics.registry.removeSingleMetric('crewhall_oldest_job_seconds')
})
afterAll(async () => {
  await parts.close()
  await database.drop()
})

/** Each test has queues of its own names. */
const install = (...specs: JobSpec[]) => installJobs(parts.engine, parts.database, specs, log)
async function work(...jobs: MountedJob[]): Promise<void> {
  const boss = createEngine(parts.engine, 'worker', log)
  const { queue, metrics, tracing, hold } = parts
  workers.push(await startWorker({ boss, queue, ctx: parts.ctx, log, metrics, tracing, hold }, jobs))
}
const enqueue = <P extends z.ZodType>(spec: JobSpec<string, P>, payload: z.input<P>) =>
  ctx().tx((tx) => tx.enqueue(spec, payload))
const stored = (name: string) =>
  sql<{ state: string; data: { attempt: number; payload: unknown } }>(
    'select state::text, data from pgboss.job where name = $1 order by created_on',
    name,
  )
const dead = (name: string) =>
  sql<{ output: { message: string } }>(
    `select source_output as output from pgboss.job where name = 'jobs.dead' and source_name = $1`,
    name,
  )
const insertNote = statement<{ id: number }, unknown>(
  (p) => text`insert into public.notes (id) values (${p.id})`,
)
const Empty = z.object({})

test('a transaction that rolls back leaves no job', async () => {
  const spec = job({ name: 'test.rollback', payload: Empty })
  await install(spec)
  const failing = ctx().tx(async (tx) => {
    await tx.enqueue(spec, {})
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await stored(spec.name)).toEqual([])
  await enqueue(spec, {})
  expect(await stored(spec.name)).toHaveLength(1)
})

test('a payload that breaks its schema is refused, and nothing of its transaction is written', async () => {
  const spec = job({ name: 'test.schema', payload: z.object({ n: z.int() }) })
  await install(spec)
  const failing = ctx().tx(async (tx) => {
    await tx.db.run(insertNote, { id: 1 })
    await tx.enqueue(spec, { n: 0.5 })
  })
  await expect(failing).rejects.toThrow(z.ZodError)
  expect(await stored(spec.name)).toEqual([])
  expect(await sql('select from public.notes where id = 1')).toEqual([])
})

test('a handler gets what its schema makes of the stored payload, once', async () => {
  const spec = job({ name: 'test.transform', payload: z.object({ n: z.string().transform(Number) }) })
  await install(spec)
  const seen: unknown[] = []
  await work(onJob(spec, async (_, payload) => void seen.push(payload)))
  await enqueue(spec, { n: '42' })
  await waitFor(() => seen.length > 0, 20_000)
  expect(seen).toEqual([{ n: 42 }])
})

test.each(['reset', 'half_open'] as const)(
  'a first job while the line of the engine is %s fails as an outage, and the next one is taken',
  async (kind) => {
    const spec = job({ name: `test.outage-${kind.replace('_', '-')}`, payload: Empty })
    await install(spec)
    const { hostname, port } = new URL(database.url)
    const proxy = await startFaultProxy({ host: hostname, port: Number(port) })
    const boss = createEngine({ ...parts.engine, url: proxy.through(database.url) }, 'sender', log)
    const queue = new JobQueue(boss)
    const send = () =>
      parts.database.transaction(undefined, (tx) => queue.enqueue(tx, parts.clock.now(), spec, {}))
    proxy.set({ kind })
    await expect(send()).rejects.toBeInstanceOf(Outage)
    expect(await stored(spec.name)).toEqual([])
    proxy.set({ kind: 'none' })
    await send()
    expect(await stored(spec.name)).toHaveLength(1)
    await queue.close()
    await proxy.close()
  },
)

test('an effect with a key happens once over two jobs', async () => {
  const spec = job({ name: 'test.once', payload: Empty })
  await install(spec)
  const answers: boolean[] = []
  await work(
    onJob(spec, async (_, __, run) => {
      answers.push(await run.once('test.once:7', async (tx) => void (await tx.db.run(insertNote, { id: 7 }))))
    }),
  )
  await enqueue(spec, {})
  await enqueue(spec, {})
  await waitFor(() => answers.length === 2, 20_000)
  expect(answers.toSorted()).toEqual([false, true])
  expect(await sql('select from public.notes where id = 7')).toHaveLength(1)
})

test('an effect in a workspace sees that workspace alone, and two workspaces may use one key', async () => {
  const spec = job({ name: 'test.once-in', payload: z.object({ brand_id: z.int() }) })
  await install(spec)
  const entered = statement<object, { brand: string }>(
    () => text`select current_setting('app.brand_id', true) as brand`,
  )
  const answers: unknown[] = []
  await work(
    onJob(spec, async (_, { brand_id }, run) => {
      let seen: string | undefined
      const did = await run.onceIn(brand_id, 'source:7', async (tx) => {
        seen = `${tx.brandId} ${(await tx.db.first(entered, {}))?.brand}`
      })
      answers.push([brand_id, did, seen])
    }),
  )
  for (const brand_id of [11, 12, 11]) await enqueue(spec, { brand_id })
  await waitFor(() => answers.length === 3, 20_000)
  expect(answers).toEqual(
    expect.arrayContaining([
      [11, true, '11 11'],
      [12, true, '12 12'],
      [11, false, undefined],
    ]),
  )
})

test('work in a workspace that fails leaves no key, and the next attempt does it', async () => {
  const spec = job({ name: 'test.once-in-again', payload: Empty, retry_seconds: [1] })
  await install(spec)
  const attempts: number[] = []
  await work(
    onJob(spec, async (_, __, run) => {
      await run.onceIn(11, 'test.once-in-again', async (tx) => {
        await tx.db.run(insertNote, { id: 8 })
        attempts.push(run.attempt)
        if (run.attempt === 1) throw new Error('not yet')
      })
    }),
  )
  await enqueue(spec, {})
  await waitFor(() => attempts.length === 2, 30_000)
  await workers.pop()?.stop(2000)
  expect(await sql('select from public.notes where id = 8')).toHaveLength(1)
  expect(await sql(`select from jobs.effects where key like '%test.once-in-again'`)).toHaveLength(1)
})

const handOutAgain = (id: string) =>
  sql(`update pgboss.job set retry_count = retry_count + 1 where data ->> 'origin' = $1`, id)
const originOf = async (name: string) =>
  (
    await sql<{ origin: string }>(`select data ->> 'origin' as origin from pgboss.job where name = $1`, name)
  )[0]?.origin ?? ''

test('a run that lost its job to another worker is refused its effect', async () => {
  const spec = job({ name: 'test.lost', payload: Empty })
  await install(spec)
  let error: unknown
  await work(
    onJob(spec, async (_, __, run) => {
      await handOutAgain(await originOf(spec.name))
      await run
        .once('test.lost', async () => {})
        .catch((thrown: unknown) => {
          error = thrown
          throw thrown
        })
    }),
  )
  await enqueue(spec, {})
  await waitFor(() => error !== undefined, 20_000)
  expect(error).toBeInstanceOf(ClaimLost)
  expect(await sql(`select from jobs.effects where key = 'test.lost'`)).toEqual([])
  await workers.pop()?.stop(2000)
  expect(await stored(spec.name)).toMatchObject([{ state: 'active' }])
})

test('a run that fails after it lost its job writes no next attempt', async () => {
  const spec = job({ name: 'test.lost-ladder', payload: Empty, retry_seconds: [60] })
  await install(spec)
  let runs = 0
  await work(
    onJob(spec, async () => {
      await handOutAgain(await originOf(spec.name))
      runs += 1
      throw new Error('too late')
    }),
  )
  await enqueue(spec, {})
  await waitFor(() => runs === 1, 20_000)
  await workers.pop()?.stop(2000)
  expect(await stored(spec.name)).toMatchObject([{ state: 'active', data: { attempt: 1 } }])
})

test('a job out of attempts is kept among the dead with its error, logged and counted', async () => {
  const spec = job({ name: 'test.exhausted', payload: Empty, retry_seconds: [] })
  await install(spec)
  await work(
    onJob(spec, async () => {
      throw new Error('never works')
    }),
  )
  await enqueue(spec, {})
  await waitFor(async () => (await dead(spec.name)).length === 1, 20_000)
  expect(await dead(spec.name)).toMatchObject([{ output: { message: 'never works' } }])
  expect(await stored(spec.name)).toMatchObject([{ state: 'failed' }])
  const logged = lines
    .map((line) => JSON.parse(line))
    .filter(({ msg, job: name }) => msg === 'job gave up' && name === spec.name)
  expect(logged).toMatchObject([{ level: 'error', attempt: 1, error: { message: 'never works' } }])
  expect(await parts.metrics.registry.metrics()).toContain('crewhall_jobs_dead{job="test.exhausted"} 1')
})

test('a run that hangs ends at its limit and hears of it, and its neighbours are done', async () => {
  const spec = job({
    name: 'test.hung',
    payload: z.object({ hang: z.boolean() }),
    retry_seconds: [],
    limit_seconds: 1,
  })
  await install(spec)
  let heard: unknown
  let done = 0
  await ctx().tx(async (tx) => {
    for (const hang of [true, false, false]) await tx.enqueue(spec, { hang })
  })
  await work(
    onJob(spec, async (_, { hang }, { signal }) => {
      if (!hang) {
        done += 1
        return
      }
      await new Promise(() => signal.addEventListener('abort', () => (heard = signal.reason)))
    }),
  )
  await waitFor(async () => (await dead(spec.name)).length === 1, 20_000)
  expect(heard).toMatchObject({ message: 'the run took longer than 1 s' })
  await workers.pop()?.stop(2000)
  expect(done).toBe(2)
  expect((await stored(spec.name)).map(({ state }) => state).toSorted()).toEqual([
    'completed',
    'completed',
    'failed',
  ])
})

test('an outage of a part counts in a job as in a request, and a refusal for good does not', async () => {
  const spec = job({ name: 'test.outage', payload: z.object({ reason: z.enum(['unreachable', 'refused']) }) })
  await install(spec)
  let runs = 0
  await work(
    onJob(spec, async (_, { reason }) => {
      runs += 1
      throw new Outage('mail', reason)
    }),
  )
  for (const reason of ['refused', 'unreachable'] as const) await enqueue(spec, { reason })
  const counted = async () => (await parts.metrics.outages.get()).values.map(({ labels }) => labels)
  await waitFor(async () => runs >= 2 && (await counted()).length > 0, 20_000)
  expect(await counted()).toEqual([{ part: 'mail', reason: 'unreachable' }])
})

test('a schedule that cannot be enqueued does not hold up the others', async () => {
  const cron = '0 0 1 1 *'
  const broken = job({ name: 'test.cron-broken', payload: Empty, cron })
  const sound = job({ name: 'test.cron-sound', payload: Empty, cron })
  await install(broken, sound)
  const ran: string[] = []
  await work(
    onJob(broken, async () => void ran.push(broken.name)),
    onJob(sound, async () => void ran.push(sound.name)),
  )
  await sql('delete from pgboss.queue where name = $1', broken.name)
  await sql('update jobs.schedules set next_at = now()')
  await waitFor(() => ran.length > 0, 20_000)
  expect(ran).toEqual([sound.name])
})

test('a schedule that a newer version has dropped waits for the version that knows it', async () => {
  const cron = '0 0 1 1 *'
  const dropped = job({ name: 'test.cron-dropped', payload: Empty, cron })
  const kept = job({ name: 'test.cron-kept', payload: Empty, cron })
  await install(dropped, kept)
  await install(kept)
  let runs = 0
  await sql('update jobs.schedules set next_at = now()')
  await work(
    onJob(kept, async () => {
      runs += 1
    }),
  )
  await waitFor(() => runs > 0, 20_000)
  // Nobody works it now, so nobody enqueues it either.
  expect(await stored(dropped.name)).toEqual([])
  const due = 'select from jobs.schedules where name = $1 and next_at <= now()'
  expect(await sql(due, dropped.name)).toHaveLength(1)
})

test('a worker that comes back restores the schedules of its version', async () => {
  const cron = '*/5 * * * *'
  const changed = job({ name: 'test.cron-changed', payload: Empty, cron })
  const gone = job({ name: 'test.cron-gone', payload: Empty, cron })
  await install(changed, gone)
  await install({ ...changed, cron: '0 0 1 1 *' })
  await sql('delete from jobs.schedules where name = $1', gone.name)
  await work(...[changed, gone].map((spec) => onJob(spec, async () => {})))
  const soon = () =>
    sql<{ name: string }>(
      `select name from jobs.schedules
       where name = any ($1) and cron = $2 and next_at <= now() + interval '5 minutes' order by name`,
      [changed.name, gone.name],
      cron,
    )
  await waitFor(async () => (await soon()).length === 2, 20_000)
})

test('installing again brings the settings of a queue in line with its contract', async () => {
  const spec = job({ name: 'test.install', payload: Empty })
  await install(spec)
  await install({ ...spec, notify: false })
  const queues = await sql('select notify, dead_letter from pgboss.queue where name = $1', spec.name)
  expect(queues).toEqual([{ notify: false, dead_letter: 'jobs.dead' }])
})

test('the sweep removes effects older than thirty days and no others', async () => {
  await sql(
    `insert into jobs.effects (key, job_id, fence, done_at)
     select 'sweep:' || days, $1, 1, now() - make_interval(days => days) from unnest(array[1, 29, 31, 400]) as days`,
    randomUUID(),
  )
  const sweepJob = createSweepJob([effectsSweep])
  await install(sweepJob.spec)
  await work(sweepJob)
  await enqueue(sweepJob.spec, {})
  const keys = () =>
    sql<{ key: string }>(`select key from jobs.effects where key like 'sweep:%' order by key`)
  await waitFor(async () => (await keys()).length === 2, 20_000)
  expect(await keys()).toEqual([{ key: 'sweep:1' }, { key: 'sweep:29' }])
})

test('K10: jobs that are done are deleted within a quarter of an hour', async () => {
  const spec = job({ name: 'test.done', payload: Empty })
  await install(spec)
  let ran = 0
  await work(
    onJob(spec, async () => {
      ran += 1
    }),
  )
  for (let n = 0; n < 3; n += 1) await enqueue(spec, {})
  await waitFor(
    async () => ran === 3 && (await stored(spec.name)).every(({ state }) => state === 'completed'),
    30_000,
  )
  // As if ten minutes had gone by since two of them, and five since somebody looked.
  await sql(
    `update pgboss.job set completed_on = completed_on - interval '10 minutes'
     where id in (select id from pgboss.job where name = $1 limit 2)`,
    spec.name,
  )
  await sql(
    `update pgboss.queue set maintain_on = maintain_on - interval '5 minutes' where name = $1`,
    spec.name,
  )
  await waitFor(async () => (await stored(spec.name)).length === 1, 20_000)
})
