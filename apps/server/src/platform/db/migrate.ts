import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '#platform/log/log.ts'

export interface Migration {
  readonly id: number
  readonly name: string
  readonly sql: string
  readonly sha256: string
  /** One statement that Postgres refuses inside a transaction, such as `create index concurrently`. */
  readonly is_outside: boolean
  /** The minor version that has to have migrated the database before, as `0.2`. */
  readonly after_version?: string
}

export interface Migrated {
  readonly applied: number
  /** A newer version has been here. Its tables serve this one too; its jobs and rights are not ours to change. */
  readonly is_ahead: boolean
}

const outsideMark = /^-- kind: outside a transaction$/m
const afterMark = /^-- after version: (\d+\.\d+)$/m
const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/
/** Any fixed number: it is the same for every process that migrates this database. */
export const migrationLock = 7_236_541_190_021
const lockTries = 10

/**
 * Applies what is missing, in order, each file in a transaction of its own. Forward only: a file that was
 * applied and has changed since is refused. One process at a time; the others wait and find nothing to do.
 */
export async function migrate(url: string, folder: string, log: Log, version: string): Promise<Migrated> {
  const migrations = await readMigrations(folder)
  const client = new pg.Client({ connectionString: url, application_name: 'crewhall-migrate' })
  // A connection that dies fails the statement under way; without a listener it would end the process as well.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`set lock_timeout = '2s'`)
    // Where one role does all, it may have the limit of requests.
    await client.query('set statement_timeout = 0')
    await takeLock(client)
    await client.query('create schema if not exists platform')
    await client.query(
      `create table if not exists platform.migrations (
         id int primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now())`,
    )
    await client.query('alter table platform.migrations add column if not exists version text')
    const { missing, unknown, from } = await compare(client, migrations, version)
    if (missing.length > 0 && from && !isOneMinorAhead(from, version))
      log.warn(
        { from, to: version },
        'a minor version is skipped: processes of the old one that still run are not ready from now on',
      )
    for (const migration of missing) {
      await (migration.is_outside ? applyOutside : apply)(client, migration, version)
      log.info({ migration: migration.name }, 'migration applied')
    }
    if (unknown.length > 0) log.warn({ unknown }, 'the database schema is newer than this version')
    return { applied: missing.length, is_ahead: unknown.length > 0 }
  } finally {
    await client.end()
  }
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name, at) => {
      const match = fileName.exec(name)
      if (!match || Number(match[1]) !== at + 1) {
        throw new Error(`${name}: migrations are numbered without gaps, as 0001_what_it_does.sql`)
      }
      const sql = await readFile(join(folder, name), 'utf8')
      const is_outside = outsideMark.test(sql)
      if (is_outside && statementsOf(sql) !== 1)
        throw new Error(`${name}: outside a transaction, one statement`)
      const [, after_version] = afterMark.exec(sql) ?? []
      const sha256 = createHash('sha256').update(sql).digest('hex')
      return { id: at + 1, name, sql, sha256, is_outside, ...(after_version && { after_version }) }
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

interface Row {
  readonly id: number
  readonly name: string
  readonly sha256: string
  readonly version: string | null
}

async function compare(client: pg.Client, migrations: readonly Migration[], version: string) {
  const { rows } = await client.query<Row>(
    'select id, name, sha256, version from platform.migrations order by id',
  )
  const unknown: string[] = []
  const known = new Map(migrations.map((migration) => [migration.id, migration]))
  for (const row of rows) {
    const migration = known.get(row.id)
    if (!migration && isOneMinorAhead(version, row.version)) unknown.push(row.name)
    else if (!migration)
      throw new Error(
        `the database has ${row.name} of version ${row.version ?? 'unknown'}, which this version does not know`,
      )
    else if (migration.sha256 !== row.sha256)
      throw new Error(`${row.name} was applied and has been changed since`)
  }
  const applied = new Set(rows.map(({ id }) => id))
  const missing = migrations.filter(({ id }) => !applied.has(id))
  // A new database has nothing that an older version had to prepare.
  const skipped =
    rows.length > 0 &&
    missing.find(
      ({ after_version }) => after_version && !rows.some((row) => isAtLeast(row.version, after_version)),
    )
  if (skipped)
    throw new Error(
      `${skipped.name} needs what version ${skipped.after_version} does with the data: upgrade to ${skipped.after_version} first, and let its jobs end`,
    )
  return { missing, unknown, from: rows.at(-1)?.version }
}

function isAtLeast(version: string | null, wanted: string): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number)
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
}

/** Each minor version runs on the tables of the next one, so that a release can roll out and back. */
export function isOneMinorAhead(own: string, other: string | null): boolean {
  const [major, minor] = own.split('.').map(Number)
  const [otherMajor, otherMinor] = (other ?? '').split('.').map(Number)
  if (minor === undefined || otherMinor === undefined || major !== otherMajor) return false
  return otherMinor - minor >= 0 && otherMinor - minor <= 1
}

const statementsOf = (sql: string): number =>
  sql
    .replace(/--.*$/gm, '')
    .split(';')
    .filter((part) => part.trim() !== '').length

const record = (client: pg.Client, { id, name, sha256 }: Migration, version: string) =>
  client.query('insert into platform.migrations (id, name, sha256, version) values ($1, $2, $3, $4)', [
    id,
    name,
    sha256,
    version,
  ])

/** A migration that cannot get its locks in two seconds steps back, so that it never queues up the traffic. */
async function apply(client: pg.Client, migration: Migration, version: string): Promise<void> {
  const { name, sql } = migration
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('begin')
      await client.query(sql)
      await record(client, migration, version)
      await client.query('commit')
      return
    } catch (error) {
      // On a dead connection there is nothing to roll back, and the first error is the one to report.
      await client.query('rollback').catch(() => {})
      const blocked = error instanceof pg.DatabaseError && error.code === '55P03'
      if (!blocked || attempt === lockTries) throw new Error(`${name} failed`, { cause: error })
      await setTimeout(500 * attempt)
    }
  }
}

const concurrentIndex = /create\s+(?:unique\s+)?index\s+concurrently\s+(\w+)\s+on\s+(?:(\w+)\.)?\w+/i

/**
 * Nothing else waits for such a statement, so it may wait for others as long as it takes. It cannot be undone either:
 * an index that was broken off is there and not valid, and is dropped before it is built again.
 */
async function applyOutside(client: pg.Client, migration: Migration, version: string): Promise<void> {
  const { name, sql } = migration
  try {
    await client.query('set lock_timeout = 0')
    const [, index, schema = 'public'] = concurrentIndex.exec(sql) ?? []
    const isValid = index === undefined ? undefined : await findIndex(client, schema, index)
    if (isValid === false) await client.query(`drop index concurrently ${schema}.${index}`)
    // A process that died in between has built the index without recording it.
    if (isValid !== true) await client.query(sql)
    await record(client, migration, version)
  } catch (error) {
    throw new Error(`${name} failed`, { cause: error })
  } finally {
    await client.query(`set lock_timeout = '2s'`).catch(() => {})
  }
}

async function findIndex(client: pg.Client, schema: string, name: string): Promise<boolean | undefined> {
  const { rows } = await client.query<{ indisvalid: boolean }>(
    `select i.indisvalid from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relnamespace = $1::regnamespace and c.relname = $2`,
    [schema, name],
  )
  return rows[0]?.indisvalid
}
