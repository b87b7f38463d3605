import { mkdirSync, writeFileSync } from 'node:fs'
import { createDatabase } from '@crewhall/testkit/databases.ts'
import { newToken, signUp } from '@crewhall/testkit/people.ts'
import { runProcess } from '@crewhall/testkit/server-process.ts'
import { withServiceEnv } from '../tools/dev/service-env.ts'
import { type BenchServer, startBenchServer } from './bench-server.ts'
import { median } from './median.ts'
import { ensureWrk, type Load, load } from './wrk.ts'

const connections = 32
const row = '/api/v1/probe/rows/500'
/** The row of the workspace, which row-level security shows to its own callers only. */
const ownRow = '/api/v1/probe/auth/brands/{brand_id}/read'
const info = '/api/v1/system/info'
/** The list of a workspace that has changed some of the 30 profiles. */
const profiles = '/api/v1/factory/coder-profiles'
const profilesFile = '.reports/bench-profiles.json'

/** Production settings. The limit on requests is far away but counted, because production counts. */
export const production = {
  HTTP_CHECK_ANSWERS: 'false',
  HTTP_RATE_LIMIT_PER_MINUTE: '1000000000',
  HTTP_RATE_LIMIT_PER_CREDENTIAL: '1000000000',
  LOG_LEVEL: 'info',
}
const ours = production

interface Contestant {
  readonly name: string
  readonly entry: string
  readonly path: string
  readonly env?: Record<string, string>
  /** The route of the bare server it is measured against; by default its own. */
  readonly against?: string
  readonly with_token?: boolean
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
    env: {
      ...ours,
      LOG_LEVEL: 'silent',
      HTTP_RATE_LIMIT_PER_MINUTE: '0',
      HTTP_RATE_LIMIT_PER_CREDENTIAL: '0',
    },
  },
  {
    name: 'ours: one row, token and row-level security',
    entry: probe,
    path: ownRow,
    against: row,
    with_token: true,
    env: ours,
  },
  {
    name: 'bare: bytes of the profile list after one read',
    entry: bare,
    path: profiles,
    env: { BENCH_PROFILES_FILE: profilesFile },
  },
  { name: 'ours: profile list', entry: probe, path: profiles, with_token: true, env: ours },
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
    const ourServer = servers[contestants.findIndex((each) => each.with_token)]
    const token = await issueToken(ourServer)
    await changeProfiles(ourServer, token)
    if (rounds > 1) for (const [at, each] of contestants.entries()) await measure(servers[at], each, 1, token)
    const results: Load[][] = contestants.map(() => [])
    for (let round = 0; round < rounds; round += 1) {
      for (const [at, each] of contestants.entries()) {
        results[at]?.push(await measure(servers[at], each, seconds, token))
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

interface Issued {
  readonly brand_id: number
  readonly token: string
}

/** By the public routes, as a person would get one. */
async function issueToken(server: BenchServer | undefined): Promise<Issued> {
  const get = (path: string, init?: RequestInit) => fetch(`${server?.url}${path}`, init)
  const owner = await signUp(get)
  const { token } = await newToken(get, owner, ['brand:read'])
  return { brand_id: owner.brand_id, token }
}

/** Some changes, as a workspace would have; then the bytes that the bare server has to answer with. */
async function changeProfiles(server: BenchServer | undefined, { token }: Issued): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  for (const key of ['claude.coding', 'claude.hard', 'opencode.docs']) {
    const init = { method: 'PUT', headers, body: JSON.stringify({ effort: 'medium', limit_value: 50 }) }
    const response = await fetch(`${server?.url}${profiles}/${key}/override`, init)
    if (response.status !== 200) throw new Error(`the change of ${key} was answered ${response.status}`)
  }
  mkdirSync('.reports', { recursive: true })
  writeFileSync(profilesFile, await (await fetch(`${server?.url}${profiles}`, { headers })).text())
}

async function measure(
  server: BenchServer | undefined,
  { path, with_token }: Contestant,
  seconds: number,
  { brand_id, token }: Issued,
): Promise<Load> {
  if (!server) throw new Error('a server is missing')
  const headers = with_token ? { authorization: `Bearer ${token}` } : {}
  const url = `${server.url}${path.replace('{brand_id}', String(brand_id))}`
  return load(url, server.pid, { seconds, connections, headers })
}

function baseOf({ path, against = path }: Contestant, results: readonly Load[][]): readonly Load[] {
  return results[contestants.findIndex((other) => other.entry === bare && other.path === against)] ?? []
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
