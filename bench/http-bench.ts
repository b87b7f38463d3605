import { createDatabase } from '@crewhall/testkit/databases.ts'
import { runProcess } from '@crewhall/testkit/server-process.ts'
import { withServiceEnv } from '../tools/dev/service-env.ts'
import { type BenchServer, startBenchServer } from './bench-server.ts'
import { median } from './median.ts'
import { ensureWrk, type Load, load } from './wrk.ts'

const connections = 32
const row = '/api/v1/probe/rows/500'
const info = '/api/v1/system/info'

/** Production settings. The limit on requests is far away but counted, because production counts. */
const ours = { HTTP_CHECK_ANSWERS: 'false', HTTP_RATE_LIMIT_PER_MINUTE: '1000000000', LOG_LEVEL: 'info' }

interface Contestant {
  readonly name: string
  readonly entry: string
  readonly path: string
  readonly env?: Record<string, string>
}

const bare = 'bench/bare-server.ts'
const probe = 'apps/server/test/probe/probe-api.ts'
const contestants: readonly Contestant[] = [
  { name: 'bare: one row', entry: bare, path: row },
  { name: 'ours: one row', entry: probe, path: row, env: ours },
  { name: 'ours: one row, no log', entry: probe, path: row, env: { ...ours, LOG_LEVEL: 'silent' } },
  {
    name: 'ours: one row, no log, no rate limit',
    entry: probe,
    path: row,
    env: { ...ours, LOG_LEVEL: 'silent', HTTP_RATE_LIMIT_PER_MINUTE: '0' },
  },
  { name: 'bare: no database', entry: bare, path: info },
  { name: 'ours: no database', entry: probe, path: info, env: ours },
]

export interface Line {
  readonly name: string
  readonly rps: number
  /** Against the bare server's same route, as the median over rounds. */
  readonly ratio: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly cpu_us: number
}

/** All contestants in turn, round after round, so that a busy moment of the machine hits all alike. */
export async function benchHttp(rounds: number, seconds: number): Promise<Line[]> {
  ensureWrk()
  const database = await createDatabase(`bench_${process.pid}`)
  const servers: BenchServer[] = []
  try {
    await runProcess({
      entry: 'apps/server/test/probe/probe-migrate.ts',
      database_url: database.url,
      env: { DATABASE_OWNER_URL: database.owner_url },
    })
    for (const { entry, env } of contestants) {
      const { REDIS_URL = '' } = withServiceEnv(process.env)
      servers.push(await startBenchServer(entry, { DATABASE_URL: database.url, REDIS_URL, ...env }))
    }
    for (const [at, { path }] of contestants.entries()) await measure(servers[at], path, 1)
    const results: Load[][] = contestants.map(() => [])
    for (let round = 0; round < rounds; round += 1) {
      for (const [at, { path }] of contestants.entries()) {
        results[at]?.push(await measure(servers[at], path, seconds))
      }
    }
    return contestants.map((contestant, at) =>
      summary(contestant, results[at] ?? [], baseOf(contestant, results)),
    )
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    await database.drop()
  }
}

async function measure(server: BenchServer | undefined, path: string, seconds: number): Promise<Load> {
  if (!server) throw new Error('a server is missing')
  return load(`${server.url}${path}`, server.pid, seconds, connections)
}

function baseOf({ path }: Contestant, results: readonly Load[][]): readonly Load[] {
  return results[contestants.findIndex((other) => other.entry === bare && other.path === path)] ?? []
}

function summary({ name }: Contestant, loads: readonly Load[], base: readonly Load[]): Line {
  return {
    name,
    rps: median(loads.map(({ rps }) => rps)),
    ratio: median(loads.map(({ rps }, round) => rps / (base[round]?.rps ?? Number.NaN))),
    p50_ms: median(loads.map(({ p50_ms }) => p50_ms)),
    p99_ms: median(loads.map(({ p99_ms }) => p99_ms)),
    cpu_us: median(loads.map(({ cpu_us }) => cpu_us)),
  }
}
