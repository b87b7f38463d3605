import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '#platform/db/database.ts'
import { Last } from '#platform/db/last.ts'
import { createPool } from '#platform/db/pool.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { enterBrand } from '#platform/db/tenancy.ts'
import { createLog } from '#platform/log/log.ts'

const server = useSharedServer('probe')
let database: Database
let writes = 0
let syncs = 0

beforeAll(() => {
  const options = {
    url: server.database.url,
    size: 1,
    connect_timeout_ms: 20_000,
    statement_timeout_ms: 5000,
    idle_transaction_timeout_ms: 10_000,
    application_name: 'test',
  }
  const pool = createPool(options, createLog({ level: 'silent', process_name: 'test' }))
  pool.on('connect', (client) => {
    const { connection } = client as unknown as { connection: EventEmitter & { stream: Socket } }
    tap(connection.stream)
    connection.on('readyForQuery', () => {
      syncs += 1
    })
  })
  database = new Database(pool, 5250)
})
afterAll(() => database?.close())

/** Counts what reaches the system. */
function tap(socket: Socket): void {
  for (const name of ['_write', '_writev'] as const) {
    const plain = socket[name] as (...args: unknown[]) => void
    Object.assign(socket, {
      [name](...args: unknown[]) {
        writes += 1
        plain.apply(socket, args)
      },
    })
  }
}

const one = statement<object, { n: number }>(() => sql`select 1 as n`)
const two = statement<object, { n: number }>(() => sql`select 2 as n`)
const preamble = { statement: enterBrand, values: [1, null, null, null, null] }

const divide = statement<{ by: number }, { quotient: number }>(
  (p) => sql`select 10 / ${p.by}::int as quotient`,
)
/** A connection knows a statement from its second use on. */
const twice = async <T>(work: () => Promise<T>): Promise<T> => {
  await work()
  writes = 0
  syncs = 0
  return work()
}

test('K6: what a transaction asks for at one moment leaves and is answered in one packet, its opening too', async () => {
  const work = () =>
    database.transaction(preamble, (tx) =>
      tx.inOrder([tx.first(one, {}), tx.first(two, {}), tx.first(one, {})]),
    )
  expect(await twice(work)).toEqual([{ n: 1 }, { n: 2 }, { n: 1 }])
  // Opening, entering and three statements; then the commit. Both were six.
  expect(writes).toBe(2)
  expect(syncs).toBe(2)
})

test('K6: the commit travels with statements that nobody waits for first', async () => {
  const work = () =>
    database.transaction(preamble, async (tx) => {
      await tx.first(one, {})
      return new Last(tx.inOrder([tx.first(two, {}), tx.first(one, {})]))
    })
  expect(await twice(work)).toEqual([{ n: 2 }, { n: 1 }])
  expect(writes).toBe(2)
  expect(syncs).toBe(2)
})

test('K6: when a statement fails those after it fail with it, nothing is kept, and the connection goes on', async () => {
  const fails = (isLast: boolean) =>
    database.transaction(preamble, async (tx) => {
      const sent = [tx.first(one, {}), tx.first(divide, { by: 0 }), tx.first(two, {})] as const
      const told = Promise.allSettled(sent)
      if (isLast) return new Last(tx.inOrder(sent))
      expect((await told).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
      return tx.inOrder(sent)
    })
  await twice(() => database.transaction(preamble, (tx) => tx.first(divide, { by: 5 })))
  for (const isLast of [false, true]) {
    await expect(fails(isLast)).rejects.toMatchObject({ code: '22012' })
    expect(await database.transaction(preamble, (tx) => tx.first(divide, { by: 2 }))).toEqual({ quotient: 5 })
  }
})

test('K6: a statement that comes after the end of its transaction is refused', async () => {
  let late: (() => Promise<unknown>) | undefined
  await database.transaction(preamble, async (tx) => {
    late = () => tx.first(one, {})
  })
  await expect(late?.()).rejects.toThrow('after the end of its transaction')
})
