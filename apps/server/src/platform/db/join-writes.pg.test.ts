import type { Socket } from 'node:net'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Database } from '#platform/db/database.ts'
import { createPool } from '#platform/db/pool.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { enterBrand } from '#platform/db/walls.ts'
import { createLog } from '#platform/log/log.ts'

const server = useSharedServer('probe')
let database: Database
let writes = 0

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
  pool.on('connect', (client) =>
    tap((client as unknown as { connection: { stream: Socket } }).connection.stream),
  )
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

test('K6: what a transaction asks for at one moment leaves in one write, its opening too', async () => {
  const work = () =>
    database.transaction(preamble, (tx) =>
      tx.inOrder([tx.first(one, {}), tx.first(two, {}), tx.first(one, {})]),
    )
  await work()
  writes = 0
  expect(await work()).toEqual([{ n: 1 }, { n: 2 }, { n: 1 }])
  // Opening, entering and three statements; then the commit. It was six.
  expect(writes).toBe(2)
})
