import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, run, startDetached, tailOf, waitUntil } from './commands.ts'
import { isRoot } from './debian-packages.ts'
import type { PostgresFacts, ServiceFacts } from './facts.ts'
import type { Part } from './part.ts'
import { ensurePostgresRoot, postgresBin, postgresPackages, postgresRoot } from './postgres-root.ts'
import { listProcesses, type ProcessMatch, readPid, signalAll } from './processes.ts'

const recoveryLimit_ms = 300_000

export function makePostgresPart({ postgres: facts }: ServiceFacts): Part {
  const match: ProcessMatch = { program: /\/bin\/postgres( \(deleted\))?$/, dirs: [facts.data_dir] }
  return {
    name: 'postgres',
    address: `${facts.host}:${facts.port}`,
    packages: postgresPackages,
    pidFiles: [facts.pid_file],
    match,
    // SIGINT is PostgreSQL's fast shutdown: sessions are ended, data is flushed.
    stopSignal: 'SIGINT',
    dir: facts.dir,
    start: () => start(facts, match),
    isReady: async () => isPrepared(facts) && (await accepts(facts)),
  }
}

/** Holds a digest of what was run, so that a cluster of an older version is prepared again. */
const preparedFile = (facts: PostgresFacts): string => join(facts.dir, 'prepared')

const isPrepared = (facts: PostgresFacts): boolean =>
  existsSync(preparedFile(facts)) && readFileSync(preparedFile(facts), 'utf8') === digest(preparation(facts))

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

const findPostmaster = (facts: PostgresFacts, match: ProcessMatch): number | undefined => {
  const postmaster = readPid(facts.pid_file)
  return listProcesses(match).find(({ pid }) => pid === postmaster)?.pid
}

async function start(facts: PostgresFacts, match: ProcessMatch): Promise<void> {
  await ensurePostgresRoot()
  if (findPostmaster(facts, match) === undefined) {
    // After kill -9 of the postmaster its children may live on and hold the shared memory, and then a new
    // postmaster refuses to start.
    await signalAll(match, 'SIGKILL')
    await launch(facts)
  }
  await waitForConnections(facts, match)
  if (!isPrepared(facts)) await prepare(facts)
}

async function launch(facts: PostgresFacts): Promise<void> {
  mkdirSync(facts.dir, { recursive: true })
  writeFileSync(join(facts.dir, 'crewhall.conf'), settings(facts), { mode: 0o644 })
  const fresh = !existsSync(join(facts.data_dir, 'PG_VERSION'))
  if (fresh) writeFileSync(join(facts.dir, 'superuser-password'), facts.superuser_password, { mode: 0o600 })
  if (isRoot) {
    const script = join(import.meta.dirname, 'postgres-start.sh')
    const inside = ['sh', script, postgresRoot, facts.dir, postgresBin]
    await startDetached('unshare', ['--mount', '--propagation', 'private', ...inside], facts.log_file)
    return
  }
  if (fresh) await initialiseAsUser(facts)
  await startDetached(join(postgresBin, 'postgres'), ['-D', facts.data_dir], facts.log_file)
}

async function initialiseAsUser(facts: PostgresFacts): Promise<void> {
  const password = join(facts.dir, 'superuser-password')
  // The rename makes a half-made cluster impossible.
  const draft = `${facts.data_dir}.new`
  rmSync(draft, { recursive: true, force: true })
  const cluster = ['-D', draft, '--no-sync', '--encoding=UTF8', '--locale=C.UTF-8']
  const access = [`--username=${facts.superuser}`, `--pwfile=${password}`, '--auth=scram-sha-256']
  await run(join(postgresBin, 'initdb'), [...cluster, ...access])
  writeFileSync(join(draft, 'postgresql.conf'), "include '../crewhall.conf'\n", { flag: 'a' })
  renameSync(draft, facts.data_dir)
  rmSync(password)
}

// The sizes suit a machine with two cores that also runs the tests. Connections come over TCP alone: a
// socket would need a path that is short and the same inside and outside.
const settings = (facts: PostgresFacts): string => `listen_addresses = '${facts.host}'
port = ${facts.port}
unix_socket_directories = ''
max_connections = 300
shared_buffers = 512MB
wal_level = replica
max_wal_size = 4GB
random_page_cost = 1.1
fsync = on
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] %q%u@%d '
log_min_duration_statement = 1s
`

/** The client programs come from the same folder as the server and reach it over TCP. */
function client(program: string, args: string[]): [string, string[]] {
  const path = join(postgresBin, program)
  return postgresRoot === '/' ? [path, args] : ['chroot', [postgresRoot, path, ...args]]
}

async function accepts(facts: PostgresFacts): Promise<boolean> {
  const [command, args] = client('pg_isready', ['-q', '-t', '2', '-h', facts.host, '-p', String(facts.port)])
  return (await attempt(command, args)).code === 0
}

async function waitForConnections(facts: PostgresFacts, match: ProcessMatch): Promise<void> {
  let seen = false
  let ended = false
  const launched_at = Date.now()
  const ready = await waitUntil(async () => {
    const alive = findPostmaster(facts, match) !== undefined
    ended = !alive && (seen || Date.now() - launched_at > 30_000)
    seen ||= alive
    return ended || (alive && (await accepts(facts)))
  }, recoveryLimit_ms)
  if (ended || !ready)
    throw new Error(`PostgreSQL did not start (${facts.log_file}):\n${tailOf(facts.log_file)}`)
}

// What needs a superuser. It also goes into template1, so that every database made later has it. Only operators that are
// marked leakproof reach an index under row-level security: docs/decisions/0046-leakproof-search.md.
const ofDatabase = `
create extension if not exists vector;
create extension if not exists pg_trgm;
create extension if not exists btree_gin;
alter function ts_match_vq(tsvector, tsquery) leakproof;
alter function word_similarity_commutator_op(text, text) leakproof;
`

const preparation = (facts: PostgresFacts): string => `
\\set ON_ERROR_STOP on
select 'create role ${facts.user}' where to_regrole('${facts.user}') is null \\gexec
alter role ${facts.user} login createdb password '${facts.password}';
select 'create role ${facts.app_user}' where to_regrole('${facts.app_user}') is null \\gexec
alter role ${facts.app_user} login password '${facts.app_password}';
\\connect template1
${ofDatabase}
select 'create database ${facts.database} owner ${facts.user}'
  where not exists (select from pg_database where datname = '${facts.database}') \\gexec
\\connect ${facts.database}
${ofDatabase}`

async function prepare(facts: PostgresFacts): Promise<void> {
  const [command, args] = client('psql', ['--no-psqlrc', '--quiet', '--file=-', facts.admin_url])
  await run(command, args, { input: preparation(facts) })
  writeFileSync(preparedFile(facts), digest(preparation(facts)))
}
