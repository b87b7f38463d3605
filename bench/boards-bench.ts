import { mkdirSync, writeFileSync } from 'node:fs'
import { adminUrl, databaseUrl } from '@crewhall/testkit/databases.ts'
import { newToken, signUp } from '@crewhall/testkit/people.ts'
import { readSeeded, type SeededBoards } from '@crewhall/testkit/seeded-boards.ts'
import pg from 'pg'
import { withServiceEnv } from '../tools/dev/service-env.ts'
import { type BenchServer, startBenchServer } from './bench-server.ts'
import { type BoardCall, boardCalls } from './board-calls.ts'
import { createSeeded } from './boards-seed.ts'
import { production } from './http-bench.ts'
import { median } from './median.ts'
import { benchSearch, type SearchLine } from './search-bench.ts'
import { ensureWrk, type Load, load } from './wrk.ts'

const connections = 32
const poolSize = '10'
const file = '.reports/bench-boards.json'
// On a machine that others use too, a delay is theirs: it must not fail the run.
const ours = { ...production, DATABASE_POOL_SIZE: poolSize, HTTP_MAX_EVENT_LOOP_DELAY_MS: '60000' }

export interface BoardLine {
  readonly name: string
  readonly bare: Load
  readonly ours: Load
  /** Median of the ratios of rounds. */
  readonly ratio: number
}

export interface BoardsOptions {
  readonly scale: number
  readonly rounds: number
  readonly seconds: number
  /** The bare server leaves timestamps as Postgres writes them. */
  readonly text_times: boolean
  /** One that was filled before, and is kept. */
  readonly database?: string | undefined
  /** How often each search is made. */
  readonly searches: number
  /** Only calls with such a name. */
  readonly only?: RegExp | undefined
}

/** Each call in turn, bare and ours one after the other, round after round. */
export async function benchBoards(
  options: BoardsOptions,
): Promise<{ lines: BoardLine[]; searches: SearchLine[] }> {
  ensureWrk()
  const made = options.database ? undefined : await createSeeded(`bench_boards_${process.pid}`, options.scale)
  const name = options.database ?? made?.name ?? ''
  const servers: BenchServer[] = []
  try {
    const seeded = await readSeeded(name)
    const { REDIS_URL = '' } = withServiceEnv(process.env)
    const product = await startBenchServer('apps/server/src/api.ts', {
      DATABASE_URL: databaseUrl(name),
      REDIS_URL,
      ...ours,
    })
    servers.push(product)
    const token = await tokenFor(name, product, seeded)
    const headers = { authorization: `Bearer ${token}` }
    const all = await boardCalls(name, product, headers, seeded)
    const calls = all.filter((call) => options.only?.test(call.name) ?? true)
    mkdirSync('.reports', { recursive: true })
    const routes = calls.map(({ statements }, at) => ({ path: `/${at}`, statements }))
    writeFileSync(file, JSON.stringify({ brand_id: seeded.brand_id, routes }))
    const bare = await startBenchServer('bench/bare-boards.ts', {
      DATABASE_URL: databaseUrl(name),
      DATABASE_POOL_SIZE: poolSize,
      BENCH_BOARDS_FILE: file,
      BENCH_TEXT_TIMES: String(options.text_times),
    })
    servers.push(bare)
    const measure = async ({ path }: BoardCall, at: number, seconds: number) => ({
      bare: await load(`${bare.url}/${at}`, bare.pid, { seconds, connections }),
      ours: await load(`${product.url}${path}`, product.pid, { seconds, connections, headers }),
    })
    const results: { bare: Load; ours: Load }[][] = calls.map(() => [])
    if (options.rounds > 1) for (const [at, call] of calls.entries()) await measure(call, at, 1)
    for (let round = 0; round < options.rounds; round += 1) {
      for (const [at, call] of calls.entries()) {
        results[at]?.push(await measure(call, at, options.seconds))
      }
    }
    const lines = calls.map((call, at) => summary(call, results[at] ?? []))
    return { lines, searches: await benchSearch(name, product, headers, seeded, options.searches) }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    await made?.drop()
  }
}

/** A person who signs up by the public route and is then put into the workspace of the big board. */
async function tokenFor(name: string, server: BenchServer, { brand_id }: SeededBoards): Promise<string> {
  const get = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init)
  const person = await signUp(get)
  const client = new pg.Client(adminUrl(name))
  await client.connect()
  try {
    const values = [brand_id, person.person_id]
    await client.query(
      `insert into identity.memberships (brand_id, person_id, role) values ($1, $2, 'member')`,
      values,
    )
    await client.query('update identity.sessions set brand_id = $1 where person_id = $2', values)
  } finally {
    await client.end()
  }
  return (await newToken(get, { ...person, brand_id }, [])).token
}

function summary({ name }: BoardCall, rounds: readonly { bare: Load; ours: Load }[]): BoardLine {
  const middle = (loads: readonly Load[]): Load => ({
    rps: median(loads.map(({ rps }) => rps)),
    p50_ms: median(loads.map(({ p50_ms }) => p50_ms)),
    p99_ms: median(loads.map(({ p99_ms }) => p99_ms)),
    cpu_us: median(loads.map(({ cpu_us }) => cpu_us)),
  })
  return {
    name,
    bare: middle(rounds.map((round) => round.bare)),
    ours: middle(rounds.map((round) => round.ours)),
    ratio: median(rounds.map((round) => round.ours.rps / round.bare.rps)),
  }
}
