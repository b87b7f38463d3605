import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

const { postgres } = readServiceFacts()
const port = await freePort()
const server = useServer('product', { METRICS_PORT: '0' })
let line: FaultProxy
let url = ''

beforeAll(async () => {
  line = await startFaultProxy(postgres)
  const api = await server.start('api', {
    METRICS_PORT: String(port),
    DATABASE_URL: line.through(server.database.url),
  })
  url = api.url
})
afterAll(() => line?.close())

interface Answer {
  readonly status: number
  readonly body: unknown
}

async function ask(path: string, at = port): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${at}${path}`, { signal: AbortSignal.timeout(10_000) })
  return { status: response.status, body: await response.json() }
}

const ready = { status: 200, body: { ready: true } }
const notReady = (reason: string): Answer => ({ status: 503, body: { ready: false, reason } })

/** Every response on the way has to be one of the two. */
async function becomes(wanted: Answer, from: Answer, at = port): Promise<void> {
  const seen: Answer[] = []
  await waitFor(async () => {
    const found = await ask('/ready', at)
    seen.push(found)
    return JSON.stringify(found) === JSON.stringify(wanted)
  }, 20_000)
  expect([wanted, from]).toEqual(expect.arrayContaining(seen))
}

test('a process with its database and schema is ready, and says nothing more', async () => {
  expect(await ask('/ready')).toEqual(ready)
  expect(await ask('/live')).toEqual({ status: 200, body: { live: true } })
})

test('strangers, who reach the port of the API alone, learn nothing about it', async () => {
  for (const path of ['/ready', '/live', '/api/v1/ready', '/api/v1/system/ready'])
    expect((await fetch(`${url}${path}`)).status).toBe(404)
})

test.for(['drop', 'half_open'] as const)(
  'with the line to the database at %s it is taken out and stays alive, and comes back by itself',
  async (kind) => {
    line.set({ kind })
    try {
      await becomes(notReady('database_unreachable'), ready)
      expect(await ask('/live')).toEqual({ status: 200, body: { live: true } })
    } finally {
      line.set({ kind: 'none' })
    }
    await becomes(ready, notReady('database_unreachable'))
  },
)

test('whoever asks often makes no load: two hundred at once share one statement, which ends within its limit', async () => {
  const owner = await server.connection('owner')
  const superuser = await server.connection('superuser')
  const countWaiting = async () => {
    const { rows } = await superuser.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and application_name = 'crewhall-probe'
         and query like '%platform.migrations%' and wait_event_type = 'Lock'`,
    )
    return rows[0]?.count ?? 0
  }
  await becomes(ready, notReady('none'))
  await owner.query('begin')
  await owner.query('lock table platform.migrations in access exclusive mode')
  try {
    await becomes(notReady('database_unreachable'), ready)
    const asked = Promise.all(Array.from({ length: 200 }, () => ask('/ready')))
    const counts: number[] = []
    const done = asked.then(() => true)
    await waitFor(async () => {
      counts.push(await countWaiting())
      return Promise.race([done, Promise.resolve(false)])
    }, 20_000)
    expect(await asked).toEqual(Array.from({ length: 200 }, () => notReady('database_unreachable')))
    expect(Math.max(...counts)).toBeLessThanOrEqual(1)
  } finally {
    await owner.query('rollback')
  }
  await becomes(ready, notReady('database_unreachable'))
})

test('a database that takes no writes takes the process out', async () => {
  const superuser = await server.connection('superuser')
  const set = (value: string) =>
    superuser.query(`alter database ${server.database.name} set default_transaction_read_only = ${value}`)
  const other = await freePort()
  await set('on')
  onTestFinished(async () => {
    await superuser.query('set default_transaction_read_only = off')
    await set('off')
  })
  // Connections that are open keep what they began with.
  await server.start('api', { METRICS_PORT: String(other) })
  expect(await ask('/ready', other)).toEqual(notReady('database_read_only'))
})

interface Mismatch {
  readonly what: string
  readonly reason: string
  readonly change: string
  readonly restore: string
}

const newest = 'select max(id) from platform.migrations'
const newer = (version: string) =>
  `insert into platform.migrations (id, name, sha256, version) select max(id) + 1, '9999_later.sql', 'x', '${version}'
   from platform.migrations`
const removeNewer = `delete from platform.migrations where name = '9999_later.sql'`

test.for<Mismatch>([
  {
    what: 'lacks a migration of this version',
    reason: 'schema_older',
    change: `update platform.migrations set id = id + 100000 where id = (${newest})`,
    restore: 'update platform.migrations set id = id - 100000 where id > 100000',
  },
  {
    what: 'has one of a version too far ahead',
    reason: 'schema_newer',
    change: newer('99.0.0'),
    restore: removeNewer,
  },
  {
    what: 'has one with another content',
    reason: 'schema_changed',
    change: `update platform.migrations set sha256 = 'x' || sha256 where id = 1`,
    restore: 'update platform.migrations set sha256 = substr(sha256, 2) where id = 1',
  },
])('a schema that $what takes the process out: $reason', async ({ reason, change, restore }) => {
  const owner = await server.connection('owner')
  await owner.query(change)
  try {
    await becomes(notReady(reason), ready)
    expect((await ask('/live')).status).toBe(200)
  } finally {
    await owner.query(restore)
  }
  await becomes(ready, notReady(reason))
})

test('a schema one minor version ahead is served: a release rolls out over running processes', async () => {
  const owner = await server.connection('owner')
  const { version } = (await (await fetch(`${url}/api/v1/system/info`)).json()) as { version: string }
  const [major, minor] = version.split('.').map(Number)
  const other = await freePort()
  await owner.query(newer(`${major}.${(minor ?? 0) + 1}.0`))
  onTestFinished(async () => {
    await owner.query(removeNewer)
  })
  // A process that has looked at nothing yet.
  await server.start('api', { METRICS_PORT: String(other) })
  expect(await ask('/ready', other)).toEqual(ready)
})

test('told to stop, a process is taken out first, serves new connections until its delay is over, and ends well', async () => {
  const own = await freePort()
  const process = await server.start('api', { METRICS_PORT: String(own), HTTP_DRAIN_DELAY_MS: '2000' })
  expect(await ask('/ready', own)).toEqual(ready)
  const before = await fetch(`${process.url}/api/v1/system/info`)
  expect(before.headers.get('connection')).toBe('keep-alive')
  const ended = process.stop()
  await becomes(notReady('draining'), ready, own)
  const served = await fetch(`${process.url}/api/v1/system/info`, { headers: { connection: 'close' } })
  expect(served.status).toBe(200)
  // A proxy that keeps connections is asked for new ones, before those that it has are closed under its requests.
  const kept = await fetch(`${process.url}/api/v1/system/info`)
  expect([kept.status, kept.headers.get('connection')]).toEqual([200, 'close'])
  expect(await ask('/live', own)).toEqual({ status: 200, body: { live: true } })
  expect(await ended).toBe(0)
})

test('a worker is ready on its own port, and drains like the API', async () => {
  const own = await freePort()
  const worker = await server.start('worker', { METRICS_PORT: String(own - 1) })
  expect(await ask('/ready', own)).toEqual(ready)
  expect(await worker.stop()).toBe(0)
})

test('a process in production that waits for its database is alive and not ready', async () => {
  const own = await freePort()
  const dead = await startFaultProxy(postgres)
  onTestFinished(() => dead.close())
  dead.set({ kind: 'drop' })
  const starting = server.start('api', {
    METRICS_PORT: String(own),
    ENVIRONMENT: 'production',
    PUBLIC_URL: 'https://crewhall.example',
    DATABASE_URL: dead.through(server.database.url),
  })
  await waitFor(async () => (await ask('/live', own)).status === 200, 20_000)
  expect(await ask('/ready', own)).toEqual(notReady('starting'))
  dead.set({ kind: 'none' })
  await starting
  await becomes(ready, notReady('starting'), own)
})

test('before it stops listening, a process hangs up on what a proxy repeats elsewhere, and serves the rest', async () => {
  const process = await server.start('api', { METRICS_PORT: '0', HTTP_TRUST_PROXY: '127.0.0.1' })
  // As a proxy without connections that it keeps: each request comes on a new one.
  const ask = async (method: string): Promise<number | 'hung up' | 'refused'> => {
    const response = await fetch(`${process.url}/api/v1/system/info`, {
      method,
      headers: { connection: 'close' },
    }).catch((error: Error) => error.cause as { code?: string })
    if (response instanceof Response) return response.status
    return response.code === 'ECONNREFUSED' ? 'refused' : 'hung up'
  }
  expect([await ask('GET'), await ask('POST')]).toEqual([200, 405])
  const ended = process.stop()
  const seen: unknown[] = []
  // Reads until it is taken for away; what cannot be repeated is served meanwhile.
  await waitFor(async () => {
    seen.push(await ask('POST'))
    return (await ask('GET')) === 'hung up'
  }, 10_000)
  seen.push(await ask('POST'))
  expect(new Set(seen)).toEqual(new Set([405]))
  // Nobody comes any more.
  expect(await ended).toBe(0)
  expect(await ask('POST')).toBe('refused')
})
