import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '#platform/log/log.ts'

interface Migration {
  readonly id: number
  readonly name: string
  readonly sql: string
  readonly sha256: string
}

const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/
/** Any fixed number: it is the same for every process that migrates this database. */
export const migrationLock = 7_236_541_190_021
const lockTries = 10

/**
 * Applies what is missing, in order, each file in a transaction of its own. Forward only: a file that was
 * applied and has changed since is refused. One process at a time; the others wait and find nothing to do.
 */
export async function migrate(url: string, folder: string, log: Log): Promise<number> {
  const migrations = await readMigrations(folder)
  const client = new pg.Client({ connectionString: url, application_name: 'crewhall-migrate' })
  // A connection that dies fails the statement under way; without a listener it would end the process as well.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`set lock_timeout = '2s'`)
    await takeLock(client)
    await client.query('create schema if not exists platform')
    await client.query(
      `create table if not exists platform.migrations (
         id int primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now())`,
    )
    const missing = await missingOf(client, migrations)
    for (const migration of missing) {
      await apply(client, migration)
      log.info({ migration: migration.name }, 'migration applied')
    }
    return missing.length
  } finally {
    await client.end()
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name, at) => {
      const match = fileName.exec(name)
      if (!match || Number(match[1]) !== at + 1) {
        throw new Error(`${name}: migrations are numbered without gaps, as 0001_what_it_does.sql`)
      }
      const sql = await readFile(join(folder, name), 'utf8')
      return { id: at + 1, name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Waits for another migrating process in short looks, so that a hung one is named instead of waited for. */
async function takeLock(client: pg.Client): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      migrationLock,
    ])
    if (rows[0]?.taken) return
    await setTimeout(200)
  }
  throw new Error('another process has been migrating this database for over a minute')
}

async function missingOf(client: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<{ id: number; name: string; sha256: string }>(
    'select id, name, sha256 from platform.migrations order by id',
  )
  const known = new Map(migrations.map((migration) => [migration.id, migration]))
  for (const row of rows) {
    const migration = known.get(row.id)
    if (!migration) throw new Error(`the database has ${row.name}, which this version does not know`)
    if (migration.sha256 !== row.sha256) throw new Error(`${row.name} was applied and has been changed since`)
  }
  const applied = new Set(rows.map(({ id }) => id))
  return migrations.filter(({ id }) => !applied.has(id))
}

/** A migration that cannot get its locks in two seconds steps back, so that it never queues up the traffic. */
async function apply(client: pg.Client, { id, name, sql, sha256 }: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('begin')
      await client.query(sql)
      await client.query('insert into platform.migrations (id, name, sha256) values ($1, $2, $3)', [
        id,
        name,
        sha256,
      ])
      await client.query('commit')
      return
    } catch (error) {
      // On a connection that died there is nothing left to roll back, and the first error is the one to tell.
      await client.query('rollback').catch(() => {})
      const blocked = error instanceof pg.DatabaseError && error.code === '55P03'
      if (!blocked || attempt === lockTries) throw new Error(`${name} failed`, { cause: error })
      await setTimeout(500 * attempt)
    }
  }
}
