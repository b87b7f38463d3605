import { randomBytes } from 'node:crypto'
import { createDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { runProcess, type ServerProcess, startProcess } from '@crewhall/testkit/server-process.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'

export interface Sample {
  readonly cpu_s: number
  readonly rss_mb: number
  readonly checks: number
  /** Upper bounds in seconds, each with how many checks were at most so late. */
  readonly late: ReadonlyMap<number, number>
  readonly written: number
}

/** A database with workspaces, and processes on it. */
export class DesksHost {
  readonly database: TestDatabase
  readonly admin: pg.Client
  readonly brand_ids: readonly number[]
  #metricsPort = 0

  private constructor(database: TestDatabase, admin: pg.Client, brand_ids: readonly number[]) {
    this.database = database
    this.admin = admin
    this.brand_ids = brand_ids
  }

  static async open(brands: number): Promise<DesksHost> {
    const database = await createDatabase(`bench_desks_${process.pid}_${randomBytes(3).toString('hex')}`)
    const env = { DATABASE_OWNER_URL: database.owner_url }
    await runProcess({ entry: 'apps/server/src/migrate.ts', database_url: database.url, env })
    const admin = await connect(database, 'superuser')
    const { rows } = await admin.query<{ id: number }>(
      `insert into identity.brands (name, plan_key, scope_ceiling)
       select 'B' || n, 'free', '{}' from generate_series(1, $1) n returning id`,
      [brands],
    )
    return new DesksHost(
      database,
      admin,
      rows.map(({ id }) => id),
    )
  }

  /** With the settings of docs/scale.md for many desks, but that its log is read. */
  async worker(env: Record<string, string> = {}): Promise<ServerProcess> {
    this.#metricsPort = await freePort()
    return startProcess({
      entry: 'apps/server/src/worker.ts',
      database_url: this.database.url,
      env: {
        DESK_NETWORKS: '127.0.0.0/8',
        METRICS_PORT: String(this.#metricsPort - 1),
        NODE_OPTIONS: '--max-old-space-size=512 --max-semi-space-size=4',
        ...env,
      },
    })
  }

  async count(where: string): Promise<number> {
    const { rows } = await this.admin.query<{ count: string }>(
      `select count(*) as count from fleet.desks where ${where}`,
    )
    return Number(rows[0]?.count)
  }

  async sample(): Promise<Sample> {
    const text = await (await fetch(`http://127.0.0.1:${this.#metricsPort}/metrics`)).text()
    const value = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
    const late = [...text.matchAll(/^crewhall_desk_check_late_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)]
    const checks = [...text.matchAll(/^crewhall_desk_checks_total\{[^}]*\} (\d+)$/gm)]
    const { rows } = await this.admin.query<{ written: string }>(
      `select sum(n_tup_ins + n_tup_upd + n_tup_del) as written from pg_stat_user_tables where schemaname = 'fleet'
         and relname <> 'poll_cells'`,
    )
    return {
      cpu_s: value('process_cpu_seconds_total'),
      rss_mb: value('process_resident_memory_bytes') / 2 ** 20,
      checks: checks.reduce((total, [, count]) => total + Number(count), 0),
      late: new Map(
        late.map(([, le, count]) => [le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), Number(count)]),
      ),
      written: Number(rows[0]?.written),
    }
  }

  async close(): Promise<void> {
    await this.admin.end()
    await this.database.drop()
  }
}
