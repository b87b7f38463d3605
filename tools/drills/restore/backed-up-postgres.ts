import { type ChildProcess, spawn } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { attempt, type Outcome } from '@crewhall/services/commands.ts'
import { type DebianRoot, ensureDebianRoot, folderOf } from '@crewhall/services/debian-root.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import pg from 'pg'
import type { BackupRepository } from './backup-repository.ts'
import { commandOfUnit } from './backup-unit.ts'

const shippedFolder = join(import.meta.dirname, '../../../deploy/production')
const settings = join(shippedFolder, 'pgbackrest')
/** Where docs/backups.md puts the scripts. */
const installed = '/usr/local/lib/crewhall'
const bin = '/usr/lib/postgresql/17/bin'
/** The server that is lost, one restored to a chosen moment, and one to the last second before the loss. */
type Folder = 'a' | 'r' | 's'

const debian: DebianRoot = {
  name: 'pgbackrest-17-trixie',
  suite: 'trixie',
  packages: ['postgresql-17', 'postgresql-17-pgvector', 'pgbackrest', 'ca-certificates'],
  options: [
    '--setup-hook=mkdir -p "$1/etc/postgresql-common"',
    '--setup-hook=echo "create_main_cluster = false" > "$1/etc/postgresql-common/createcluster.conf"',
  ],
  isWhole: (folder) =>
    existsSync(join(folder, 'usr/bin/pgbackrest')) && existsSync(join(folder, bin, 'postgres')),
}

// The folder of the drill is /mnt inside. Mounts end with the process.
const enter = `mount --bind "$2" "$1/mnt"; mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"
[ -s "$1/etc/hosts" ] || echo "127.0.0.1 localhost" > "$1/etc/hosts"
root=$1; shift 2; cd /
exec chroot --userspec=postgres:postgres "$root" env -i PATH=${bin}:/usr/bin:/bin HOME=/mnt LC_ALL=C.UTF-8 TZ=UTC \\
  PGBACKREST_CONFIG=/mnt/pgbackrest.conf TEXTFILE_DIRECTORY=/mnt/metrics "$@"`

/** PostgreSQL with pgBackRest, with the settings that are shipped, into the S3 of the services. Everything below one folder. */
export class BackedUpPostgres {
  readonly #work: string
  readonly #servers = new Map<Folder, ChildProcess>()

  private constructor(work: string) {
    this.#work = work
  }

  static async make(work: string, repository: BackupRepository): Promise<BackedUpPostgres> {
    await ensureDebianRoot(debian)
    const made = new BackedUpPostgres(work)
    for (const folder of [
      '',
      'etc',
      'spool',
      'spool-r',
      'lock-r',
      'spool-s',
      'lock-s',
      'log',
      'metrics',
      'r',
      's',
    ]) {
      mkdirSync(join(work, folder), { recursive: true, mode: 0o700 })
      made.#own(folder)
    }
    made.#write('s3-ca.pem', repository.certificate)
    const own = { 'spool-path': '/mnt/spool', 'pg1-path': '/mnt/a', 'pg1-socket-path': '/mnt' }
    made.#write('pgbackrest.conf', repository.settings(own, ['log-path=/mnt/log']))
    for (const name of ['pgbackrest', 'prometheus'])
      cpSync(join(shippedFolder, name), join(work, 'lib', name), { recursive: true })
    return made
  }

  async createServer(port: number): Promise<void> {
    await this.#must('initdb', '-D', '/mnt/a', '-k', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8')
    const shipped = readFileSync(join(settings, 'archive.conf'), 'utf8')
    // Where Debian has them, so that a restored folder has none either.
    for (const name of ['postgresql.conf', 'pg_hba.conf', 'pg_ident.conf'])
      renameSync(join(this.#work, 'a', name), join(this.#work, 'etc', name))
    const own = [
      "data_directory = '/mnt/a'",
      "hba_file = '/mnt/etc/pg_hba.conf'",
      "ident_file = '/mnt/etc/pg_ident.conf'",
      "listen_addresses = '127.0.0.1'",
      "unix_socket_directories = '/mnt'",
      'max_connections = 200',
      `port = ${port}`,
      'archive_timeout = 5\n',
    ]
    const conf = join(this.#work, 'etc/postgresql.conf')
    writeFileSync(conf, [readFileSync(conf, 'utf8'), shipped, ...own].join('\n'))
    this.#write(
      'pgbackrest.conf',
      this.#read('pgbackrest.conf').replace(/^pg1-port=.*$/m, `pg1-port=${port}`),
    )
    await this.start('a', port)
    await this.backrest('stanza-create')
    await this.backrest('check')
  }

  async start(folder: Folder, port: number): Promise<void> {
    const place = ['-c', 'config_file=/mnt/etc/postgresql.conf', '-c', `data_directory=/mnt/${folder}`]
    const child = this.#spawn('postgres', '-D', `/mnt/${folder}`, ...place, '-p', String(port))
    this.#servers.set(folder, child)
    await waitFor(async () => {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
      const answer = await this.query(port, 'select pg_is_in_recovery() as is_so', 'postgres').catch(() => [])
      return answer[0]?.is_so === false
    }, 300_000)
  }

  async query(port: number, text: string, database = 'restore_drill'): Promise<Record<string, unknown>[]> {
    const connectionString = this.urlOf(port, 'postgres', database)
    const client = new pg.Client({ connectionString, options: '-c app.system=on -c TimeZone=UTC' })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  urlOf = (port: number, role: string, database = 'restore_drill') =>
    `postgres://${role}@127.0.0.1:${port}/${database}`

  backrest = (...args: string[]): Promise<string> => this.#must('pgbackrest', '--stanza=crewhall', ...args)

  /** Of all backups in the repository. */
  async labels(): Promise<string[]> {
    const said = await this.backrest('info', '--output=json')
    return [...said.matchAll(/"label":"([^"]+)"/g)].map(([, label = '']) => label)
  }

  /** A command of the shipped unit, as systemd would run it. Only the pause before a second look at a gap is shorter. */
  runUnit = (name: Parameters<typeof commandOfUnit>[0]): Promise<Outcome> =>
    this.#run('sh', '-c', `export VERIFY_WAIT=2; ${commandOfUnit(name).replaceAll(installed, '/mnt/lib')}`)

  /** What it tells the node exporter. */
  backupMetrics = (): string => this.#read('metrics/crewhall-backup.prom')

  /** Puts the moment into the empty folder and starts it. Returns the seconds of each step. */
  async restoreTo(
    folder: 'r' | 's',
    target: string,
    port: number,
  ): Promise<{ copied: number; replayed: number }> {
    const place = [
      `--pg1-path=/mnt/${folder}`,
      `--lock-path=/mnt/lock-${folder}`,
      `--spool-path=/mnt/spool-${folder}`,
    ]
    const moment = ['--type=time', `--target=${target}`, '--target-action=promote']
    const began = performance.now()
    await this.backrest(...place, '--archive-mode=off', ...moment, 'restore')
    const copied = performance.now()
    await this.start(folder, port)
    return { copied: (copied - began) / 1000, replayed: (performance.now() - copied) / 1000 }
  }

  /** From now on this one is archived and backed up, in the stanza of the lost one, whose backups stay. */
  async takeOver(folder: 'r' | 's', port: number): Promise<string> {
    await this.stop('a')
    const conf = this.#read('pgbackrest.conf')
      .replace(/^pg1-path=.*$/m, `pg1-path=/mnt/${folder}`)
      .replace(/^pg1-port=.*$/m, `pg1-port=${port}`)
    this.#write('pgbackrest.conf', conf)
    await this.query(port, 'alter system reset archive_mode', 'postgres')
    await this.stop(folder)
    await this.start(folder, port)
    const name = `lpad(to_hex(timeline_id), 8, '0') || '.history' as name from pg_control_checkpoint()`
    const [history] = await this.query(port, `select ${name}`, 'postgres')
    await this.backrest('--no-archive-async', 'archive-push', `/mnt/${folder}/pg_wal/${history?.name}`)
    await this.backrest('check')
    await this.backrest('--type=full', '--no-expire-auto', 'backup')
    return String(history?.name)
  }

  async stop(folder: Folder): Promise<void> {
    const child = this.#servers.get(folder)
    if (!child || child.exitCode !== null) return
    child.kill('SIGINT')
    await waitFor(() => child.exitCode !== null || child.signalCode !== null, 60_000)
  }

  async close(): Promise<void> {
    for (const folder of this.#servers.keys()) await this.stop(folder)
  }

  #args = (args: readonly string[]): string[] => {
    const options = ['--mount', '--propagation', 'private', 'bash', '-c', enter, 'enter']
    return [...options, folderOf(debian), this.#work, ...args]
  }
  #run = (...args: string[]) => attempt('unshare', this.#args(args))
  #spawn = (...args: string[]) => spawn('unshare', this.#args(args), { stdio: 'ignore' })
  async #must(...args: string[]): Promise<string> {
    const { code, output } = await this.#run(...args)
    if (code !== 0) throw new Error(`${args.slice(0, 3).join(' ')} ended with ${code}: ${output.slice(-600)}`)
    return output
  }

  #read = (name: string) => readFileSync(join(this.#work, name), 'utf8')
  #write(name: string, text: string): void {
    writeFileSync(join(this.#work, name), text, { mode: 0o600 })
    this.#own(name)
  }
  #own(name: string): void {
    const { uid, gid } = statSync(join(folderOf(debian), 'var/lib/postgresql'))
    chownSync(join(this.#work, name), uid, gid)
  }
}
