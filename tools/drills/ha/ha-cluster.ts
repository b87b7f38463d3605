import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from '@crewhall/services/commands.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import pg from 'pg'
import { ensureHaRoot, postgresUser, runBeside, runInside, startInside } from './ha-root.ts'
import { fillEnvironment, fillLines, readShipped } from './shipped-settings.ts'

export type NodeName = 'db-a' | 'db-b'
export const nodeNames: readonly NodeName[] = ['db-a', 'db-b']
const host = '127.0.0.1'

export const other = (name: NodeName): NodeName => (name === 'db-a' ? 'db-b' : 'db-a')

interface DatabaseNode {
  readonly port: number
  readonly rest: number
}

interface Ports {
  readonly nodes: Record<NodeName, DatabaseNode>
  /** Clients; peers have the next one. */
  readonly etcd: Record<string, number>
  readonly primary: number
  readonly pooler: number
}

/** Both database nodes, etcd, HAProxy and PgBouncer with the files that are shipped, on this machine below one folder. */
export class HaCluster {
  readonly #work: string
  readonly #ports: Ports
  readonly #secrets = Object.fromEntries(
    ['rest', 'superuser', 'replication', 'rewind', 'owner', 'app'].map((name) => [
      name,
      randomBytes(12).toString('hex'),
    ]),
  )
  readonly #running = new Map<string, ChildProcess>()

  private constructor(work: string, ports: Ports) {
    this.#work = work
    this.#ports = ports
  }

  /** The pooler takes every database, where tests make their own. */
  static async start(work: string, { takes_all = false } = {}): Promise<HaCluster> {
    await ensureHaRoot()
    const [a, b, e1, e2, e3, primary, pooler] = await Promise.all(Array.from({ length: 7 }, freePort))
    const cluster = new HaCluster(work, {
      nodes: {
        'db-a': { port: a ?? 0, rest: (a ?? 0) + 1 },
        'db-b': { port: b ?? 0, rest: (b ?? 0) + 1 },
      },
      etcd: { 'db-a': e1 ?? 0, 'db-b': e2 ?? 0, witness: e3 ?? 0 },
      primary: primary ?? 0,
      pooler: pooler ?? 0,
    })
    try {
      cluster.#lay(takes_all)
      await cluster.#bringUp()
    } catch (error) {
      await cluster.close()
      throw error
    }
    return cluster
  }

  /** Through the pooler, as the product. */
  get url(): string {
    return this.#url('crewhall_app', 'app', this.#ports.pooler)
  }
  get direct_url(): string {
    return this.#url('crewhall_app', 'app', this.#ports.primary)
  }
  get owner_url(): string {
    return this.#url('crewhall', 'owner', this.#ports.primary)
  }
  get admin_url(): string {
    return this.#url('postgres', 'superuser', this.#ports.primary, 'postgres')
  }
  portOf = (name: NodeName): number => this.#ports.nodes[name].port
  /** Where each Patroni answers. */
  get patronis(): string[] {
    return nodeNames.map((name) => `${host}:${this.#ports.nodes[name].rest}`)
  }
  get pooler_port(): number {
    return this.#ports.pooler
  }

  /** Which node Patroni calls so now. */
  async find(role: 'primary' | 'synchronous'): Promise<NodeName | undefined> {
    for (const name of nodeNames) if (await this.is(name, role)) return name
    return undefined
  }

  /** Returns when there is a primary, and a standby that confirms its commits. */
  async settled(): Promise<NodeName> {
    return waitFor(async () => {
      const [primary, standby] = [await this.find('primary'), await this.find('synchronous')]
      return standby !== undefined && primary !== standby ? primary : undefined
    }, 180_000)
  }

  /** The same for so long that what each node knows of the other is no older: a restart of the primary takes its standby away. */
  async settledFor(ms: number): Promise<NodeName> {
    let since = performance.now()
    return waitFor(async () => {
      const [primary, standby] = [await this.find('primary'), await this.find('synchronous')]
      if (standby === undefined || primary === standby) since = performance.now()
      return performance.now() - since > ms && primary
    }, 180_000)
  }

  /** PostgreSQL alone, as a crash or the kernel ends it. */
  killPostgres(name: NodeName): void {
    process.kill(this.#postmasterOf(name), 'SIGKILL')
  }

  /** To the process that repeats on a standby what it receives. Pausing it by SQL is no fault: Patroni ends that. */
  signalReplay(name: NodeName, signal: NodeJS.Signals): void {
    const postmaster = this.#postmasterOf(name)
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ')
    const pid = children.find((each) => readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('startup'))
    if (!pid) throw new Error(`${name} repeats nothing`)
    process.kill(Number(pid), signal)
  }

  /** What ends when a machine does. */
  killNode(name: NodeName): void {
    const postmaster = this.#postmasterOf(name)
    this.#running.get(`patroni-${name}`)?.kill('SIGKILL')
    process.kill(postmaster, 'SIGKILL')
  }

  /** As systemd does after a crash, or a machine that is back. */
  startNode(name: NodeName): void {
    this.#run(`patroni-${name}`, ['patroni', '/mnt/patroni.yml'], this.#environmentOf(name))
  }

  /** A command on a node that runs, with the settings of its Patroni. */
  on = (name: NodeName, ...args: string[]): Promise<Outcome> => {
    const patroni = this.#running.get(`patroni-${name}`)
    if (!patroni) throw new Error(`${name} was never started`)
    return runBeside(patroni, args, this.#environmentOf(name))
  }

  /** A command with the same settings, also where no node runs. */
  apart = (name: NodeName, args: readonly string[], input: string): Promise<Outcome> =>
    runInside(this.#work, args, { env: this.#environmentOf(name), input })

  #environmentOf(name: NodeName): Record<string, string> {
    const { port, rest } = this.#ports.nodes[name]
    const secrets = this.#secrets
    const settings = fillEnvironment('patroni.env', {
      PATRONI_NAME: name,
      PATRONI_RESTAPI_LISTEN: `${host}:${rest}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${host}:${rest}`,
      PATRONI_RESTAPI_PASSWORD: secrets.rest ?? '',
      PATRONI_ETCD3_HOSTS: Object.values(this.#ports.etcd)
        .map((each) => `${host}:${each}`)
        .join(),
      PATRONI_POSTGRESQL_LISTEN: `${host}:${port}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${host}:${port}`,
      PATRONI_POSTGRESQL_DATA_DIR: `/mnt/${name}/data`,
      PATRONI_POSTGRESQL_PGPASS: `/mnt/${name}/pgpass`,
      PATRONI_SUPERUSER_PASSWORD: secrets.superuser ?? '',
      PATRONI_REPLICATION_PASSWORD: secrets.replication ?? '',
      PATRONI_REWIND_PASSWORD: secrets.rewind ?? '',
      CREWHALL_SECRETS: '/mnt/secrets',
    })
    return { ...settings, PGBACKREST_CONFIG: `/mnt/${name}/pgbackrest.conf` }
  }

  /** Rows of one statement on the primary, past the pooler. */
  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.direct_url, options: '-c app.system=on' })
    await client.connect()
    try {
      return (await client.query<Row>(text, [...values])).rows
    } finally {
      await client.end()
    }
  }

  logOf(part: string): string {
    return readFileSync(join(this.#work, `${part}.log`), 'utf8')
  }

  async close(): Promise<void> {
    const primary = await this.find('primary')
    await this.#stop('pgbouncer', 'SIGINT')
    await this.#stop('haproxy', 'SIGTERM')
    // The standby first, so that nothing fails over meanwhile. Patroni ends its own PostgreSQL.
    const order = primary === 'db-a' ? (['db-b', 'db-a'] as const) : nodeNames
    for (const name of order) {
      await this.#stop(`patroni-${name}`, 'SIGTERM')
      const left = this.#findPostmaster(name)
      if (left !== undefined) process.kill(left, 'SIGQUIT')
    }
    for (const name of Object.keys(this.#ports.etcd)) await this.#stop(`etcd-${name}`, 'SIGTERM')
  }

  #lay(takesAll: boolean): void {
    for (const folder of [
      '',
      'secrets',
      ...nodeNames,
      ...Object.keys(this.#ports.etcd).map((e) => `etcd-${e}`),
    ])
      this.#own(folder, () => mkdirSync(join(this.#work, folder), { recursive: true, mode: 0o700 }))
    this.#write('secrets/postgres_owner_password', `${this.#secrets.owner}\n`)
    this.#write('secrets/postgres_app_password', `${this.#secrets.app}\n`)
    this.#write('patroni.yml', readShipped('patroni.yml'))
    this.#write('haproxy.cfg', readShipped('haproxy.cfg'))
    this.#write('users', `"crewhall_app" "${this.#secrets.app}"\n`)
    const target = `host=${host} port=${this.#ports.primary}`
    const pooler = fillLines('pgbouncer.ini', {
      crewhall: `${target} dbname=crewhall`,
      listen_port: String(this.#ports.pooler),
      auth_file: '/mnt/users',
    })
    this.#write('pgbouncer.ini', takesAll ? pooler.replace(/^crewhall = .*$/m, `* = ${target}`) : pooler)
  }

  async #bringUp(): Promise<void> {
    const members = Object.entries(this.#ports.etcd)
    const all = members.map(([name, port]) => `${name}=http://${host}:${port + 1}`).join()
    for (const [name, port] of members) {
      const [clients, peers] = [`http://${host}:${port}`, `http://${host}:${port + 1}`]
      const env = fillEnvironment('etcd.env', {
        ETCD_NAME: name,
        ETCD_DATA_DIR: `/mnt/etcd-${name}/data`,
        ETCD_LISTEN_CLIENT_URLS: clients,
        ETCD_ADVERTISE_CLIENT_URLS: clients,
        ETCD_LISTEN_PEER_URLS: peers,
        ETCD_INITIAL_ADVERTISE_PEER_URLS: peers,
        ETCD_INITIAL_CLUSTER: all,
      })
      this.#run(`etcd-${name}`, ['etcd'], env)
    }
    const [, firstPort] = members[0] ?? []
    await waitFor(() => isOk(`http://${host}:${firstPort}/health`), 60_000)
    for (const name of nodeNames) this.startNode(name)
    const { nodes, primary } = this.#ports
    const haproxy = fillEnvironment('haproxy.env', {
      PRIMARY_LISTEN: `${host}:${primary}`,
      DB_A: `${host}:${nodes['db-a'].port}`,
      DB_A_PATRONI_PORT: String(nodes['db-a'].rest),
      DB_B: `${host}:${nodes['db-b'].port}`,
      DB_B_PATRONI_PORT: String(nodes['db-b'].rest),
    })
    // As root, like Debian's unit: it gives that up by itself.
    this.#run('haproxy', ['haproxy', '-db', '-f', '/mnt/haproxy.cfg'], haproxy, 'root:root')
    await this.settled()
    this.#run('pgbouncer', ['pgbouncer', '/mnt/pgbouncer.ini'])
    await waitFor(async () => {
      const client = new pg.Client({ connectionString: this.url })
      client.on('error', () => {})
      try {
        await client.connect()
        return (await client.query('select 1')).rowCount === 1
      } finally {
        await client.end().catch(() => {})
      }
    }, 30_000)
  }

  /** What Patroni tells Prometheus of each node that runs: the metrics of the alert on a standby that is lost. */
  async roles(): Promise<{ primaries: number; sync_standbys: number }> {
    const texts = await Promise.all(
      nodeNames.map(async (name) => {
        const url = `http://${host}:${this.#ports.nodes[name].rest}/metrics`
        const response = await fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => undefined)
        return (await response?.text()) ?? ''
      }),
    )
    const count = (metric: string) =>
      texts.filter((text) => new RegExp(`^${metric}\\{.*\\} 1(\\.0)?$`, 'm').test(text)).length
    return { primaries: count('patroni_primary'), sync_standbys: count('patroni_sync_standby') }
  }

  is = (name: NodeName, role: 'primary' | 'synchronous' | 'health') =>
    isOk(`http://${host}:${this.#ports.nodes[name].rest}/${role}`)

  #url(role: string, secret: string, port: number, database = 'crewhall'): string {
    return `postgres://${role}:${this.#secrets[secret]}@${host}:${port}/${database}`
  }

  #run(part: string, args: readonly string[], env: Record<string, string> = {}, user?: string): void {
    const child = startInside(this.#work, join(this.#work, `${part}.log`), args, {
      env,
      ...(user && { user }),
    })
    this.#running.set(part, child)
  }

  async #stop(part: string, signal: NodeJS.Signals): Promise<void> {
    const child = this.#running.get(part)
    const isOver = () => !child || child.exitCode !== null || child.signalCode !== null
    if (isOver()) return
    child?.kill(signal)
    await waitFor(isOver, 30_000).catch(() => child?.kill('SIGKILL'))
  }

  #findPostmaster(name: NodeName): number | undefined {
    try {
      const pid = Number(
        readFileSync(join(this.#work, name, 'data/postmaster.pid'), 'utf8').split('\n', 1)[0],
      )
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`/mnt/${name}/data`) ? pid : undefined
    } catch {
      return undefined
    }
  }

  #postmasterOf(name: NodeName): number {
    const pid = this.#findPostmaster(name)
    if (pid === undefined) throw new Error(`${name} has no PostgreSQL`)
    return pid
  }

  #write(name: string, text: string): void {
    this.#own(name, () => writeFileSync(join(this.#work, name), text, { mode: 0o600 }))
  }

  #own(name: string, make: () => void): void {
    make()
    const { uid, gid } = postgresUser()
    chownSync(join(this.#work, name), uid, gid)
  }
}

async function isOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1000) })
    await response.body?.cancel()
    return response.status === 200
  } catch {
    return false
  }
}
