import { randomUUID } from 'node:crypto'
import { type Fault, type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'

const deadlineMs = 3000
const poolSize = 24

const server = useServer('probe')
const world = new World(server)
let proxy: FaultProxy
let through: Record<string, string>
let api: ServerProcess

beforeAll(async () => {
  const { hostname, port } = new URL(server.database.url)
  proxy = await startFaultProxy({ host: hostname, port: Number(port) })
  through = {
    MEMORY_DATABASE_URL: proxy.through(server.database.url),
    MEMORY_DEADLINE_MS: String(deadlineMs),
    MEMORY_DATABASE_POOL_SIZE: String(poolSize),
  }
  api = await server.start('api', through)
})
afterAll(() => proxy?.close())

interface Caller {
  readonly brand_id: number
  readonly token: string
}
interface Note {
  readonly id: string
}

/** In a workspace of its own: events and audit entries of one take turns. */
async function newCaller(): Promise<Caller> {
  const brand_id = await world.newBrand()
  const [issued] = await world.newTokens(await world.join(brand_id, 'member'), [], 1)
  return { brand_id, token: issued?.token ?? '' }
}
const newCallers = (count: number) => Promise.all(Array.from({ length: count }, newCaller))

const get = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)
const add = ({ token }: Caller, key: string = randomUUID()) =>
  call<Note & { detail?: string }>(
    get,
    { token },
    'POST',
    '/api/v1/probe/notes',
    { name: key },
    {
      'idempotency-key': key,
    },
  )
/** By way of the main handle. */
const other = ({ token, brand_id }: Caller) =>
  call(get, { token }, 'GET', `/api/v1/brands/${brand_id}/tokens`)
const health = () => call<{ status: string }>(get, null, 'GET', '/api/v1/system/health')

/** Rows that creates have left behind, of every kind. */
async function left(callers: readonly Caller[]): Promise<number> {
  const [found] = await world.sql<{ n: number }>(
    `select (select count(*) from probe.notes where brand_id = any($1))::int
       + (select count(*) from platform.workspace_events where brand_id = any($1))::int
       + (select count(*) from platform.audit_entries where brand_id = any($1))::int
       + (select count(*) from platform.idempotency_keys where brand_id = any($1))::int
       + (select count(*) from pgboss.job where (data->'payload'->>'brand_id')::int = any($1))::int as n`,
    [callers.map(({ brand_id }) => brand_id)],
  )
  return found?.n ?? Number.NaN
}
/** Of one create that was carried out. */
const whole = 5

const heal = () => proxy.set({ kind: 'none' })
/** Nothing is under way any more, in whatever state a fault has left it. */
const settled = () =>
  waitFor(async () => {
    const open = await world.sql(
      `select from pg_stat_activity where datname = current_database()
         and application_name = 'crewhall-api-memory' and xact_start is not null`,
    )
    return open.length === 0
  }, 30_000)
beforeEach(async () => {
  heal()
  // Connections that the last fault has broken are replaced.
  const caller = await newCaller()
  await waitFor(async () => (await add(caller)).status === 201, 30_000)
})

/** Bind and Parse name the prepared statement so. */
const isCommit = (sent: Buffer) => sent.includes('commit\0')

const refusals: Fault[] = [{ kind: 'reset' }, { kind: 'drop' }]
test.for(refusals)(
  'a memory database that cannot be reached ($kind) is 502, and health and the other routes do not notice',
  async (fault) => {
    const caller = await newCaller()
    proxy.set(fault)
    const { status, body, headers } = await add(caller)
    expect([status, body]).toEqual([502, { detail: 'The memory service cannot be reached' }])
    expect(headers.get('retry-after')).toBe('1')
    expect((await other(caller)).status).toBe(200)
    expect((await health()).body.status).toBe('healthy')
    // Who calls and what they ask for is told all the same.
    const malformed = await call(get, { token: caller.token }, 'GET', '/api/v1/probe/notes/stats')
    expect(malformed.status).toBe(422)
    expect((await add({ ...caller, token: 'chp_nobody' })).status).toBe(401)
    heal()
    await waitFor(async () => (await add(caller)).status === 201, 20_000)
  },
)

test('a line that is cut at any statement of a create is 502 and leaves nothing, and the same key does it then', async () => {
  const caller = await newCaller()
  let cuts = 0
  for (let done = 0; done === 0; cuts += 1) {
    const key = randomUUID()
    const before = await left([caller])
    let isStruck = false
    proxy.set({
      kind: 'cut',
      at: (_, count) => {
        isStruck ||= count === cuts
        return count === cuts
      },
    })
    const { status } = await add(caller, key)
    heal()
    if (!isStruck) done = status
    else {
      expect(status).toBe(502)
      await settled()
      expect(await left([caller])).toBe(before)
      const again = await add(caller, key)
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null])
    }
  }
  // Entry, key, row, job, event, audit entry, response and commit; some travel together.
  expect(cuts).toBeGreaterThan(5)
})

test('a create that is frozen at any statement is 504 in time and leaves nothing, and the same key does it then', async () => {
  const callers = await newCallers(10)
  await Promise.all(callers.map((caller) => add(caller)))
  const before = await left(callers)
  const keys = callers.map(() => randomUUID())
  proxy.set({ kind: 'freeze', at: (_, count, line) => count === line })
  const begun = performance.now()
  const told = await Promise.all(callers.map((caller, at) => add(caller, keys[at])))
  const tookMs = performance.now() - begun
  expect(tookMs).toBeGreaterThan(deadlineMs - 100)
  heal()
  await settled()
  const late = told.filter(({ status }) => status === 504)
  expect(late.length).toBeGreaterThan(5)
  expect(late[0]?.body).toEqual({ detail: 'The memory service did not respond within 30 seconds' })
  const done = told.filter(({ status }) => status === 201)
  expect(late.length + done.length).toBe(told.length)
  expect(await left(callers)).toBe(before + done.length * whole)
  for (const [at, caller] of callers.entries()) {
    // A line that the fault has broken is met once more.
    await waitFor(async () => (await add(caller, keys[at])).status === 201, 20_000)
  }
  expect(await left(callers)).toBe(before + callers.length * whole)
})

/** Sends creates whose COMMIT is frozen until all of them have been told 504. */
async function frozenBeforeCommit(count: number): Promise<readonly Caller[]> {
  const callers = await newCallers(count)
  let commits = 0
  proxy.set({
    kind: 'freeze',
    at: (sent) => {
      if (isCommit(sent)) commits += 1
      return isCommit(sent)
    },
  })
  const told = await Promise.all(callers.map((caller) => add(caller)))
  expect(told.map(({ status }) => status)).toEqual(told.map(() => 504))
  // Most were as far as that; the machine may have been too slow for some.
  expect(commits).toBeGreaterThan(count / 2)
  heal()
  await settled()
  return callers
}

const creates = scaled(200, poolSize)
test(`${creates} creates that are frozen before COMMIT arrives are 504, and thawed they leave 0 rows`, async () => {
  for (let n = 0; n < creates; n += poolSize) {
    const callers = await frozenBeforeCommit(Math.min(poolSize, creates - n))
    expect(await left(callers)).toBe(0)
    const [caller] = await newCallers(1)
    await waitFor(async () => caller && (await add(caller)).status === 201, 30_000)
  }
})

test('twin: without the commit limit they would be written after all', async () => {
  const owner = await server.connection('owner')
  await owner.query('alter table probe.notes disable trigger commit_limit')
  onTestFinished(async () => {
    await owner.query('alter table probe.notes enable trigger commit_limit')
  })
  const callers = await frozenBeforeCommit(4)
  expect(await left(callers)).toBeGreaterThan(0)
})

test('where only the reply to COMMIT is lost, the same key returns the one row', async () => {
  for (let n = 0; n < scaled(20, 3); n += 1) {
    const caller = await newCaller()
    const key = randomUUID()
    proxy.set({ kind: 'lose_reply', at: isCommit })
    expect((await add(caller, key)).status).toBe(502)
    heal()
    expect(await left([caller])).toBe(whole)
    const again = await add(caller, key)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    const notes = await world.sql('select id from probe.notes where brand_id = $1', [caller.brand_id])
    expect(notes).toEqual([{ id: again.body.id }])
  }
})

test('300 requests that wait for a frozen memory database keep no other route from responding', async () => {
  const callers = await newCallers(20)
  const [reader] = callers as [Caller]
  // Everybody is known: the lookup of callers is not what is measured.
  for (const caller of callers) expect((await other(caller)).status).toBe(200)
  proxy.set({ kind: 'freeze', at: () => true })
  let waiting = 300
  const told = Array.from({ length: waiting }, async (_, n) => {
    const { token } = callers[n % callers.length] ?? reader
    const answer = await call(get, { token }, 'POST', '/api/v1/probe/notes/search', { name: 'x' })
    waiting -= 1
    return answer.status
  })
  const read: number[] = []
  const healths: string[] = []
  while (waiting > 0) {
    const [one, two, { body }] = await Promise.all([other(reader), other(reader), health()])
    read.push(one.status, two.status)
    if (waiting > 0) healths.push(body.status)
  }
  expect(read.length).toBeGreaterThan(20)
  expect(read.filter((status) => status !== 200)).toEqual([])
  // A machine that is busy with the burst may miss the short limit of its probes, and then says so for a second.
  expect(healths).toContain('healthy')
  const statuses = await Promise.all(told)
  // As many as have a place wait until the deadline; the others are told at once.
  expect([...new Set(statuses)].toSorted()).toEqual(expect.arrayContaining([504]))
  expect(statuses.filter((status) => ![429, 503, 504].includes(status))).toEqual([])
  expect(statuses.filter((status) => status === 504).length).toBeGreaterThan(poolSize)
  expect(statuses.filter((status) => status !== 504).length).toBeGreaterThan(100)
})

test('a job on the handle writes its rows and the key of its effect in one transaction there', async () => {
  const caller = await newCaller()
  const { body } = await add(caller)
  expect(body.id).toBeDefined()
  await server.start('worker', through)
  const found = await waitFor(async () => {
    const rows = await world.sql<{ way: string; is_one: boolean }>(
      `select n.way, n.xmin::text = e.xmin::text as is_one from probe.notes n
       join jobs.effects e on e.key = 'brand:' || n.brand_id || ':' || n.name where n.brand_id = $1`,
      [caller.brand_id],
    )
    return rows.length > 0 && rows
  }, 30_000)
  expect(found).toEqual([{ way: 'crewhall-worker-memory', is_one: true }])
})
