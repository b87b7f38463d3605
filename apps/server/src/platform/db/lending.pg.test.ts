import { adminUrl, databaseUrl } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { Lending } from '#platform/db/lending.ts'
import { createPool } from '#platform/db/pool.ts'
import { createLog } from '#platform/log/log.ts'

function open(size: number, connect_timeout_ms = 20_000, url = databaseUrl(templateName('probe'))) {
  const pool = createPool(
    {
      url,
      size,
      connect_timeout_ms,
      statement_timeout_ms: 5000,
      idle_transaction_timeout_ms: 10_000,
      application_name: 'test',
    },
    createLog({ level: 'silent', process_name: 'test' }),
  )
  onTestFinished(() => pool.end())
  const lending = new Lending(pool)
  const take = () =>
    new Promise<pg.PoolClient>((resolve, reject) => {
      lending.take((error, client) => (client ? resolve(client) : reject(error)))
    })
  return { pool, lending, take }
}
const pidOf = async (client: pg.PoolClient) =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid

test('a connection that comes back goes to those who wait, in the order in which they came', async () => {
  const { pool, lending, take } = open(1)
  const first = await take()
  const got: number[] = []
  const waiting = [1, 2, 3].map(async (n) => {
    const client = await take()
    got.push(n)
    expect(client).toBe(first)
    lending.giveBack(client, false)
  })
  expect(pool.waitingCount).toBe(0)
  lending.giveBack(first, false)
  await Promise.all(waiting)
  expect(got).toEqual([1, 2, 3])
  expect([pool.totalCount, pool.idleCount]).toEqual([1, 1])
})

test.for([
  ['is given back as lost', (lending: Lending, client: pg.PoolClient) => lending.giveBack(client, true)],
  [
    'has died without a word',
    async (lending: Lending, client: pg.PoolClient) => {
      const died = new Promise((resolve) => client.once('end', resolve))
      const admin = new pg.Client(adminUrl(templateName('probe')))
      await admin.connect()
      await admin.query('select pg_terminate_backend($1)', [await pidOf(client)])
      await admin.end()
      await died
      lending.giveBack(client, false)
    },
  ],
] as const)('a connection that %s is not handed on', async ([, end]) => {
  const { pool, lending, take } = open(1)
  const first = await take()
  const waiting = take()
  await end(lending, first)
  const second = await waiting
  expect(second).not.toBe(first)
  expect(await pidOf(second)).toEqual(expect.any(Number))
  lending.giveBack(second, false)
  expect([pool.totalCount, pool.idleCount]).toEqual([1, 1])
})

test('whoever waits too long is refused as by the pool, and the next one gets the connection', async () => {
  // The first one has to connect within it too, on a busy machine.
  const { lending, take } = open(1, 3000)
  const first = await take()
  await expect(take()).rejects.toThrow('timeout exceeded when trying to connect')
  const waiting = take()
  lending.giveBack(first, false)
  expect(await waiting).toBe(first)
  lending.giveBack(first, false)
})

test('while the database is away all that wait are refused', async () => {
  const { pool, take } = open(2, 20_000, 'postgres://nobody@127.0.0.1:1/none')
  const refused = await Promise.allSettled(Array.from({ length: 6 }, take))
  expect(refused.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'rejected'))
  expect(pool.totalCount).toBe(0)
})
