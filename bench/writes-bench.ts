import { createDatabase } from '@crewhall/testkit/databases.ts'
import { newToken, signUp } from '@crewhall/testkit/people.ts'
import { runProcess } from '@crewhall/testkit/server-process.ts'
import { withServiceEnv } from '../tools/dev/service-env.ts'
import { type BareBoard, type Written, writeBare } from './bare-writes.ts'
import { type BenchServer, startBenchServer } from './bench-server.ts'
import { production } from './http-bench.ts'
import { median } from './median.ts'
import { ensureWrk, loadScript } from './wrk.ts'

const script = 'bench/write-cards.lua'
const settings = { ...production, HTTP_MAX_EVENT_LOOP_DELAY_MS: '60000' }

interface Setup {
  readonly name: string
  readonly boards: number
  readonly writers: number
}
const setups: readonly Setup[] = [
  { name: 'one board, 1 writer', boards: 1, writers: 1 },
  { name: 'one board, 16 writers', boards: 1, writers: 16 },
  { name: '16 boards, 16 writers', boards: 16, writers: 16 },
]

export interface WriteLine {
  readonly name: string
  readonly bare: Written
  readonly ours: Written
  readonly ratio: number
}

/** Created cards a second over two API processes, beside the same rows written by the driver alone. */
export async function benchWrites(rounds: number, seconds: number): Promise<WriteLine[]> {
  ensureWrk()
  const database = await createDatabase(`bench_writes_${process.pid}`)
  const servers: BenchServer[] = []
  try {
    const env = { DATABASE_OWNER_URL: database.owner_url }
    await runProcess({ entry: 'apps/server/src/migrate.ts', database_url: database.url, env })
    const { REDIS_URL = '' } = withServiceEnv(process.env)
    for (let at = 0; at < 2; at += 1) {
      const facts = { DATABASE_URL: database.url, REDIS_URL, ...settings }
      servers.push(await startBenchServer('apps/server/src/api.ts', facts))
    }
    const { headers, boards } = await boardsOf(servers[0])
    // Rows of the bare driver have ranks of their own, which ours could not follow.
    const other = (await boardsOf(servers[0])).boards
    const results = setups.map((): { bare: Written; ours: Written }[] => [])
    for (let round = -1; round < rounds; round += 1) {
      for (const [at, setup] of setups.entries()) {
        const ours = await writeOurs(servers, boards, headers, { ...setup, seconds })
        const bare = await writeBare(database.url, other.slice(0, setup.boards), { ...setup, seconds })
        // The first round warms up.
        if (round >= 0) results[at]?.push({ bare, ours })
      }
    }
    return setups.map(({ name }, at) => summary(name, results[at] ?? []))
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    await database.drop()
  }
}

/** A person with sixteen boards, all by the public routes. */
async function boardsOf(server: BenchServer | undefined) {
  const get = (path: string, init?: RequestInit) => fetch(`${server?.url}${path}`, init)
  const owner = await signUp(get)
  const { token } = await newToken(get, owner, [])
  const headers = { authorization: `Bearer ${token}` }
  const boards: BareBoard[] = []
  for (let at = 0; at < 16; at += 1) {
    const key = `B${String.fromCharCode(65 + at)}`
    const response = await get('/api/v1/board/boards', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Board ${at}`, key, board_type: 'kanban' }),
    })
    if (!response.ok) throw new Error(`a board was refused: ${response.status} ${await response.text()}`)
    const board = (await response.json()) as { id: string; columns: { id: string }[] }
    boards.push({ brand_id: owner.brand_id, board_id: board.id, column_id: board.columns[0]?.id ?? '' })
  }
  return { headers, boards }
}

async function writeOurs(
  servers: readonly BenchServer[],
  boards: readonly BareBoard[],
  headers: Readonly<Record<string, string>>,
  { boards: count, writers, seconds }: Setup & { readonly seconds: number },
): Promise<Written> {
  const paths = boards.slice(0, count).map(({ board_id }) => `/api/v1/board/boards/${board_id}/tasks`)
  // One writer is on one process; more are shared out.
  const used = servers.slice(0, Math.min(writers, servers.length))
  const loads = await Promise.all(
    used.map(({ url, pid }) =>
      loadScript(url, pid, { seconds, connections: writers / used.length, headers, script, args: paths }),
    ),
  )
  return {
    per_second: loads.reduce((sum, { rps }) => sum + rps, 0),
    p50_ms: Math.max(...loads.map(({ p50_ms }) => p50_ms)),
    p99_ms: Math.max(...loads.map(({ p99_ms }) => p99_ms)),
  }
}

function summary(name: string, rounds: readonly { bare: Written; ours: Written }[]): WriteLine {
  const middle = (all: readonly Written[]): Written => ({
    per_second: median(all.map((each) => each.per_second)),
    p50_ms: median(all.map((each) => each.p50_ms)),
    p99_ms: median(all.map((each) => each.p99_ms)),
  })
  return {
    name,
    bare: middle(rounds.map(({ bare }) => bare)),
    ours: middle(rounds.map(({ ours }) => ours)),
    ratio: median(rounds.map(({ bare, ours }) => ours.per_second / bare.per_second)),
  }
}
