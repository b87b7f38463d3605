import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { root, runProcess } from '@crewhall/testkit/server-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate } from '#platform/db/migrate.ts'
import { createLog } from '#platform/log/log.ts'

const log = createLog({ level: 'silent', process_name: 'test' })
let database: TestDatabase
let folder: string
let client: pg.Client

beforeEach(async () => {
  database = await createDatabase(`t_migrate_${randomBytes(5).toString('hex')}`)
  folder = mkdtempSync(join(tmpdir(), 'crewhall-migrations-'))
  client = await connect(database, 'owner')
})
afterEach(async () => {
  await client.end()
  await database.drop()
  rmSync(folder, { recursive: true })
})

const write = (name: string, sql: string) => writeFileSync(join(folder, name), sql)
const run = async (version = '1.4.0') => (await migrate(database.owner_url, folder, log, version)).applied
const applied = async (): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>('select name from platform.migrations order by id')
  return rows.map(({ name }) => name)
}
const hasTable = async (name: string): Promise<boolean> =>
  (await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [name])).rows[0]
    ?.there ?? false

test('files are applied in order, each once', async () => {
  write('0001_one.sql', 'create table one (id int)')
  write('0002_two.sql', 'alter table one add column two int; create table two (id int)')
  expect(await run()).toBe(2)
  expect(await run()).toBe(0)
  write('0003_three.sql', 'create table three (id int)')
  expect(await run()).toBe(1)
  expect(await applied()).toEqual(['0001_one.sql', '0002_two.sql', '0003_three.sql'])
})

test('a file that was applied and has been changed since is refused', async () => {
  write('0001_one.sql', 'create table one (id int)')
  await run()
  write('0001_one.sql', 'create table one (id int, more int)')
  write('0002_two.sql', 'create table two (id int)')
  await expect(run()).rejects.toThrow('0001_one.sql was applied and has been changed since')
  expect(await hasTable('two')).toBe(false)
})

test('a database with a migration this version does not know is refused', async () => {
  write('0001_one.sql', 'create table one (id int)')
  write('0002_two.sql', 'create table two (id int)')
  await run()
  rmSync(join(folder, '0002_two.sql'))
  const unknown = 'the database has 0002_two.sql of version 1.4.0, which this version does not know'
  for (const version of ['1.2.9', '1.5.0', '0.4.0', '2.4.0'])
    await expect(run(version)).rejects.toThrow(unknown)
})

test.each(['1.3.0', '1.3.7', '1.4.0', '1.4.2'])(
  'K8: version %s accepts a database that version 1.4.0 has migrated',
  async (version) => {
    write('0001_one.sql', 'create table one (id int)')
    write('0002_two.sql', 'create table two (id int)')
    await run('1.4.0')
    rmSync(join(folder, '0002_two.sql'))
    expect(await migrate(database.owner_url, folder, log, version)).toEqual({ applied: 0, is_ahead: true })
  },
)

const outside = '-- kind: outside a transaction\n'
const indexes = async () =>
  (
    await client.query<{ name: string; indisvalid: boolean }>(
      `select indexrelid::regclass::text as name, indisvalid from pg_index where indrelid = 'one'::regclass`,
    )
  ).rows

test('K8: an index is built outside a transaction, while a writer writes', async () => {
  write('0001_one.sql', 'create table one (id int); insert into one select generate_series(1, 1000)')
  await run()
  write('0002_index.sql', `${outside}create index concurrently one_id on public.one (id);`)
  await client.query('begin')
  await client.query('insert into one values (2000)')
  const other = await connect(database, 'owner')
  const migrating = run()
  const isWaiting = async () =>
    ((await other.query(`select from pg_stat_progress_create_index where phase like 'waiting%'`)).rowCount ??
      0) > 0
  await waitFor(isWaiting, 30_000)
  // It waits for the transaction that was there before, and nobody waits for it.
  await other.query(`set lock_timeout = '500ms'`)
  await other.query('insert into one values (3000)')
  await client.query('commit')
  expect(await migrating).toBe(1)
  expect(await indexes()).toEqual([{ name: 'one_id', indisvalid: true }])
  await other.end()
})

test('K8: an index that was broken off halfway is dropped and built again', async () => {
  write('0001_one.sql', 'create table one (id int); insert into one values (1), (1)')
  write('0002_index.sql', `${outside}create unique index concurrently one_id on public.one (id)`)
  await expect(run()).rejects.toThrow('0002_index.sql failed')
  expect(await indexes()).toEqual([{ name: 'one_id', indisvalid: false }])
  expect(await applied()).toEqual(['0001_one.sql'])
  await client.query('delete from one where ctid in (select ctid from one limit 1)')
  expect(await run()).toBe(1)
  expect(await indexes()).toEqual([{ name: 'one_id', indisvalid: true }])
})

test('K8: an index that was built by a process that ended before it could tell is not built twice', async () => {
  write('0001_one.sql', 'create table one (id int)')
  await run()
  await client.query('create index one_id on one (id)')
  write('0002_index.sql', `${outside}create index concurrently one_id on public.one (id)`)
  expect(await run()).toBe(1)
})

test('K8: two statements outside a transaction are refused before anything is applied', async () => {
  write('0001_one.sql', `${outside}create table one (id int); create table two (id int)`)
  await expect(run()).rejects.toThrow('0001_one.sql: outside a transaction, one statement')
  expect(await hasTable('one')).toBe(false)
})

test.for(['0003_three.sql', '0001_again.sql', '0002-two.sql', 'two.sql'])(
  'beside 0001_one.sql the file %s is refused before anything is applied',
  async (name) => {
    write('0001_one.sql', 'create table one (id int)')
    write(name, 'create table other (id int)')
    await expect(run()).rejects.toThrow('numbered without gaps')
    expect(await hasTable('one')).toBe(false)
  },
)

test('a migration that fails leaves nothing of itself, keeps those before it, and can be repaired', async () => {
  write('0001_one.sql', 'create table one (id int)')
  write('0002_two.sql', 'create table two (id int); insert into one values (1); select 1 / 0')
  await expect(run()).rejects.toThrow('0002_two.sql failed')
  expect(await applied()).toEqual(['0001_one.sql'])
  expect(await hasTable('two')).toBe(false)
  expect((await client.query('select * from one')).rows).toEqual([])
  write('0002_two.sql', 'create table two (id int)')
  expect(await run()).toBe(1)
})

test('a migration whose connection dies leaves nothing of itself', async () => {
  write('0001_one.sql', 'create table one (id int); select pg_terminate_backend(pg_backend_pid())')
  await expect(run()).rejects.toMatchObject({
    message: '0001_one.sql failed',
    cause: { code: '57P01' },
  })
  expect(await hasTable('one')).toBe(false)
  expect(await applied()).toEqual([])
})

test('of many that migrate at once each file is applied by one', async () => {
  write('0001_one.sql', 'create table one (id int); select pg_sleep(0.1)')
  write('0002_two.sql', 'create table two (id int)')
  write('0003_three.sql', 'insert into two values (1)')
  const counts = await Promise.all([run(), run(), run(), run()])
  expect(counts.reduce((a, b) => a + b)).toBe(3)
  expect((await client.query('select * from two')).rows).toEqual([{ id: 1 }])
})

test('two processes of the product that migrate an empty database at once both succeed', async () => {
  const env = { DATABASE_OWNER_URL: database.owner_url }
  const start = () => runProcess({ entry: 'apps/server/src/migrate.ts', database_url: database.url, env })
  await Promise.all([start(), start()])
  const files = readdirSync(join(root, 'apps/server/migrations')).sort()
  expect(await applied()).toEqual(files)
})

test('a migration that waits for a lock steps back for the traffic and succeeds later', async () => {
  write('0001_one.sql', 'create table one (id int)')
  await run()
  write('0002_two.sql', 'alter table one add column two int')
  await client.query('begin')
  await client.query('select * from one')
  const [watch, reader] = [await connect(database, 'owner'), await connect(database, 'owner')]
  const migrating = run()
  const isWaiting = async () =>
    ((await watch.query(`select 1 from pg_locks where not granted and relation = 'one'::regclass`))
      .rowCount ?? 0) > 0
  await waitFor(isWaiting, 20_000)
  // It stands before the reader now. Only its stepping back lets the reader through, for the lock is still held.
  const begun = performance.now()
  await reader.query('select * from one')
  expect(performance.now() - begun).toBeLessThan(20_000)
  await client.query('commit')
  expect(await migrating).toBe(1)
  expect(await applied()).toEqual(['0001_one.sql', '0002_two.sql'])
  await Promise.all([watch.end(), reader.end()])
})

test('who skips a minor version is told that old processes cannot go on', async () => {
  const lines: string[] = []
  const heard = createLog({
    level: 'warn',
    process_name: 'test',
    destination: { write: (line) => lines.push(line) },
  })
  for (const [at, version] of ['1.3.2', '1.4.0', '1.4.1', '1.6.0', '1.9.0'].entries()) {
    // The last one brings nothing, so nobody is left behind.
    if (version !== '1.9.0') write(`000${at + 1}_more.sql`, `create table more_${at} (id int)`)
    await migrate(database.owner_url, folder, heard, version)
  }
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ from: '1.4.1', to: '1.6.0' }])
})

test('a version that matters cannot be skipped, except by a new database', async () => {
  write('0001_one.sql', 'create table one (id int)')
  await run('1.3.2')
  write('0002_two.sql', '-- after version: 1.4\ncreate table two (id int)')
  await expect(run('1.5.0')).rejects.toThrow('0002_two.sql needs what version 1.4 does with the data')
  expect(await hasTable('two')).toBe(false)
  // What 1.4 has brought shows that it was here.
  write('0002_two.sql', 'create table filled (id int)')
  await run('1.4.1')
  write('0003_three.sql', '-- after version: 1.4\ncreate table two (id int)')
  expect(await run('1.5.0')).toBe(1)
  expect(await hasTable('two')).toBe(true)

  await client.query('drop schema platform cascade; drop table one, two, filled')
  expect(await run('1.5.0')).toBe(3)
})
