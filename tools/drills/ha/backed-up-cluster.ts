import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from '@crewhall/services/commands.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expectThat } from '../expect-that.ts'
import type { BackupRepository } from '../restore/backup-repository.ts'
import { commandOfUnit } from '../restore/backup-unit.ts'
import { ask } from './ask.ts'
import { type HaCluster, type NodeName, nodeNames, other } from './ha-cluster.ts'
import { postgresUser, runInside, startInside } from './ha-root.ts'
import { readLines } from './shipped-settings.ts'

/** Where docs/high-availability.md puts what is shipped. */
const installed = '/usr/local/lib/crewhall'
const restored = '/mnt/restored'

interface Restored {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** A cluster of Patroni whose nodes archive into one repository, as the page says. */
export class BackedUpCluster {
  readonly #work: string
  readonly #cluster: HaCluster
  readonly #repository: BackupRepository

  constructor(work: string, cluster: HaCluster, repository: BackupRepository) {
    this.#work = work
    this.#cluster = cluster
    this.#repository = repository
    this.#write('s3-ca.pem', repository.certificate)
    for (const name of nodeNames) this.#settle(name, `${name}/pgbackrest.conf`, `/mnt/${name}/data`)
  }

  /** On one machine, nodes must not share what two machines have each. */
  #settle(name: NodeName, file: string, data: string): void {
    const own = { spool: `${file}.spool`, lock: `${file}.lock`, log: `${file}.log` }
    for (const folder of Object.values(own)) this.#own(folder, (path) => mkdirSync(path, { recursive: true }))
    const text = this.#repository.settings(
      {
        'pg1-path': data,
        'pg1-port': String(this.#cluster.portOf(name)),
        'spool-path': `/mnt/${own.spool}`,
      },
      [`lock-path=/mnt/${own.lock}`, `log-path=/mnt/${own.log}`],
    )
    this.#write(file, text)
  }

  async must(name: NodeName, ...args: string[]): Promise<string> {
    return outputOf(await this.#cluster.on(name, ...args), args)
  }

  backrest = (name: NodeName, ...args: string[]): Promise<string> =>
    this.must(name, 'pgbackrest', '--stanza=crewhall', ...args)

  patronictl = (name: NodeName, ...args: string[]): Promise<string> =>
    this.must(name, 'patronictl', '-c', '/mnt/patroni.yml', ...args)

  /** The settings of archive.conf for all nodes; they take effect with a restart, standby first. */
  async turnOnArchiving(): Promise<void> {
    const primary = await this.#cluster.settled()
    const settings = { ...readLines('../pgbackrest/archive.conf'), archive_timeout: '5' }
    const parameters = Object.entries(settings).flatMap(([key, value]) => ['--pg', `${key}=${value}`])
    await this.patronictl(primary, 'edit-config', 'crewhall', '--force', '--quiet', ...parameters)
    for (const name of [other(primary), primary]) {
      await waitFor(async () => /Pending restart/.test(await this.patronictl(name, 'list')), 30_000)
      await this.patronictl(name, 'restart', 'crewhall', name, '--force')
      await this.#cluster.settledFor(6000)
    }
    await this.expectArchiving()
  }

  async expectArchiving(): Promise<void> {
    const [row] = await this.query('show archive_mode')
    expectThat(row?.archive_mode === 'on', 'archive_mode is off')
  }

  /** Daily backup and its look at the repository, by the commands of the shipped unit. */
  async backUp(name: NodeName): Promise<void> {
    await this.must(name, 'sh', '-c', commandOfUnit('ExecStart'))
    await this.verify(name)
  }

  verify = (name: NodeName): Promise<string> => this.must(name, `${installed}/pgbackrest/verify`, 'crewhall')

  /** Histories of all its timelines: that of the restore has not been pushed. Returns the last. */
  async archiveHistories(name: NodeName): Promise<string> {
    const folder = `/mnt/${name}/data/pg_wal`
    const files = (await this.must(name, 'ls', folder)).split('\n').filter((file) => /\.history$/.test(file))
    for (const file of files)
      await this.backrest(name, '--no-archive-async', 'archive-push', `${folder}/${file}`)
    return files.at(-1) ?? ''
  }

  /** Rows of one statement on the primary, as superuser. */
  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return ask(this.#cluster.admin_url, text, values)
  }

  /** Ends the current segment of WAL, which is not empty, and returns its name. */
  async switchWal(): Promise<string> {
    await this.query("select pg_logical_emit_message(false, 'drill', 'something')")
    const [row] = await this.query('select pg_walfile_name(pg_switch_wal()) as name')
    return String(row?.name)
  }

  /** Which of these segments are in the repository, by a look that takes another way than pgBackRest. */
  async archived(names: readonly string[]): Promise<string[]> {
    const objects = await this.#repository.storage.list(outside, 'archive/')
    return names.filter((name) => objects.some(({ key }) => key.includes(`/${name}-`)))
  }

  /** Copies the moment into a folder of its own and starts it, apart from Patroni. */
  async restoreTo(target: string): Promise<Restored> {
    this.#own('restored', (path) => {
      rmSync(path, { recursive: true, force: true })
      mkdirSync(path, { mode: 0o700 })
    })
    this.#settle('db-a', 'restoring.conf', restored)
    const moment = ['--type=time', `--target=${target}`, '--target-action=promote', '--archive-mode=off']
    const command = ['pgbackrest', '--stanza=crewhall', ...moment, 'restore']
    const inside = { env: { PGBACKREST_CONFIG: '/mnt/restoring.conf' } }
    outputOf(await runInside(this.#work, command, inside), command)
    return this.#startRestored(inside.env)
  }

  async #startRestored(env: Record<string, string>): Promise<Restored> {
    const port = await freePort()
    // Patroni left its own settings in the folder, with the addresses of the node that was backed up.
    const own = {
      port: String(port),
      listen_addresses: '127.0.0.1',
      hba_file: `${restored}/pg_hba.conf`,
      ident_file: `${restored}/pg_ident.conf`,
      synchronous_standby_names: '',
    }
    const settings = Object.entries(own).flatMap(([key, value]) => ['-c', `${key}=${value}`])
    const log = join(this.#work, 'restored.log')
    const child = startInside(this.#work, log, ['postgres', '-D', restored, ...settings], { env })
    const url = this.#cluster.admin_url.replace(/:\d+\/postgres$/, `:${port}/postgres`)
    await waitFor(async () => {
      const [row] = await ask(url, 'select pg_is_in_recovery() as is_so')
      return row?.is_so === false
    }, 120_000)
    const stop = async () => {
      child.kill('SIGINT')
      await waitFor(() => child.exitCode !== null || child.signalCode !== null, 60_000)
    }
    return { url, stop }
  }

  /** Nothing is left of both nodes but the restored folder: it becomes the data of the first. */
  async rebuild(): Promise<void> {
    const remove = ['patronictl', '-c', '/mnt/patroni.yml', 'remove', 'crewhall']
    const confirmed = 'crewhall\nYes I am aware\n'
    // It asks more where a leader is not yet missed.
    await waitFor(async () => outputOf(await this.#cluster.apart('db-a', remove, confirmed), remove), 60_000)
    for (const name of nodeNames) rmSync(join(this.#work, name, 'data'), { recursive: true, force: true })
    const moved = ['mv', restored, '/mnt/db-a/data']
    outputOf(await runInside(this.#work, moved), moved)
    this.#cluster.startNode('db-a')
    await waitFor(async () => (await this.#cluster.find('primary')) === 'db-a', 60_000)
    this.#cluster.startNode('db-b')
    await this.#cluster.settled()
  }

  #write(name: string, text: string): void {
    this.#own(name, (path) => writeFileSync(path, text, { mode: 0o600 }))
  }

  #own(name: string, make: (path: string) => void): void {
    const path = join(this.#work, name)
    make(path)
    const { uid, gid } = postgresUser()
    chownSync(path, uid, gid)
  }
}

function outputOf({ code, output }: Outcome, args: readonly string[]): string {
  if (code !== 0) throw new Error(`${args.slice(0, 4).join(' ')} ended with ${code}: ${output.slice(-800)}`)
  return output
}
