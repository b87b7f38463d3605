import { randomBytes } from 'node:crypto'
import { createDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { runProcess } from '@crewhall/testkit/server-process.ts'
import { type StandInModel, startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import type pg from 'pg'
import { withServiceEnv } from '../../tools/dev/service-env.ts'
import { startBenchServer } from '../bench-server.ts'
import { production } from '../http-bench.ts'
import { type CheckLine, ms, percentile } from '../memory/check-line.ts'
import { type Filled, fillLessons, firstNodes, type Size, startsIn } from './many-lessons.ts'

export interface LessonsOptions {
  /** Of the graph that is walked; a tenth as many lessons stand on it. */
  readonly nodes: number
  readonly rounds: number
  /** Times of a small graph say nothing about a large one. */
  readonly judges_times: boolean
}

const dimension = 512
/** As the bars of lookups and comparisons have it. */
const fewLessons = 10_000
const warming = 5

/** Reads of lessons over HTTP, on connections that are open and statements that are prepared. */
export async function benchLessons(options: LessonsOptions): Promise<CheckLine[]> {
  const database = await createDatabase(`bench_lessons_${process.pid}_${randomBytes(3).toString('hex')}`)
  const model = await startStandInModel()
  model.dimension = dimension
  try {
    const env = { DATABASE_OWNER_URL: database.owner_url }
    await runProcess({ entry: 'apps/server/src/migrate.ts', database_url: database.url, env })
    return await measureAll(database, model, options)
  } finally {
    await model.close()
    await database.drop()
  }
}

async function measureAll(database: TestDatabase, model: StandInModel, options: LessonsOptions) {
  const admin = await connect(database, 'superuser')
  const { REDIS_URL = '' } = withServiceEnv(process.env)
  const server = await startBenchServer('apps/server/src/api.ts', {
    DATABASE_URL: database.url,
    REDIS_URL,
    ...production,
    HTTP_MAX_EVENT_LOOP_DELAY_MS: '60000',
    HTTP_RATE_LIMIT_PER_MINUTE: '0',
    HTTP_RATE_LIMIT_PER_CREDENTIAL: '0',
    LOG_LEVEL: 'warn',
    EMBEDDINGS: 'url',
    EMBEDDINGS_URL: model.url,
    EMBEDDINGS_MODEL: 'bag-of-words',
    EMBEDDINGS_DIMENSIONS: String(dimension),
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  })
  try {
    const bench = new Reads(admin, server.url, database.name, options)
    // The small graph first: each one makes the indexes of edges anew.
    const few = await bench.few(model)
    return [...(await bench.near()), ...few]
  } finally {
    await server.stop()
    await admin.end()
  }
}

interface Near {
  readonly entries: readonly unknown[]
  readonly reached_nodes: number
  readonly degraded: string | null
}

/** A call of the model alone, as the server makes it. */
async function embeddingMs(model: StandInModel, text: string): Promise<number> {
  const begun = performance.now()
  const response = await fetch(`${model.url}/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'bag-of-words', input: [text], dimensions: dimension }),
  })
  await response.json()
  if (response.status !== 200) throw new Error(`the model: ${response.status}`)
  return performance.now() - begun
}

class Reads {
  readonly #admin: pg.Client
  readonly #url: string
  readonly #database: string
  readonly #options: LessonsOptions
  readonly #world: World

  constructor(admin: pg.Client, url: string, database: string, options: LessonsOptions) {
    this.#admin = admin
    this.#database = database
    this.#url = url
    this.#options = options
    const sql = async (text: string, values?: unknown[]) => (await admin.query(text, values)).rows
    this.#world = new World({ get: (path, init) => fetch(`${url}${path}`, init), sql: sql as World['sql'] })
  }

  async #filled(size: Size): Promise<Filled & { readonly token: string }> {
    const filled = await fillLessons(this.#admin, this.#database, size)
    const scopes = ['memory:read', 'code:read']
    await this.#admin.query('update identity.brands set scope_ceiling = $2 where id = $1', [
      ...[filled.brand_id, scopes],
    ])
    const member = await this.#world.join(filled.brand_id, 'member')
    const token = await this.#world.newToken(member, scopes)
    return { ...filled, token }
  }

  async #post<T>(token: string, path: string, body: object): Promise<[T, number]> {
    const begun = performance.now()
    const response = await fetch(`${this.#url}/api/v1/memory/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const read = (await response.json()) as T
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(read)}`)
    return [read, performance.now() - begun]
  }

  /** Times of the rounds after those that warm up. */
  async #times(work: (round: number) => Promise<number>): Promise<number[]> {
    const times: number[] = []
    for (let round = -warming; round < this.#options.rounds; round += 1) {
      const took = await work(round + warming)
      if (round >= 0) times.push(took)
    }
    return times
  }

  #line(check: string, what: string, times: readonly number[], barMs: number): CheckLine {
    const p95 = percentile(times, 0.95)
    const measured = `${ms(percentile(times, 0.5))} / ${ms(p95)} ms`
    const judged = { bar: `p95 ${barMs} ms`, is_met: p95 <= barMs }
    return { check, what: `${what}, p50 / p95`, measured, ...(this.#options.judges_times ? judged : {}) }
  }

  async near(): Promise<CheckLine[]> {
    const { nodes } = this.#options
    const begun = performance.now()
    const lessons = nodes / 10
    const { brand_id, token, project_id, edges } = await this.#filled({ nodes, lessons, dimension: 0 })
    const filled = ((performance.now() - begun) / 1000).toFixed(0)
    let [mostReached, isSame, found] = [0, true, 0]
    const walk = async (round: number, starts: number, more: object) => {
      const node_ids = await startsIn(this.#admin, brand_id, nodes, { starts, round })
      const query = { project_id, node_ids, ...more }
      const [first, took] = await this.#post<Near>(token, 'entries:near', query)
      const [again] = await this.#post<Near>(token, 'entries:near', query)
      if (first.degraded !== null) throw new Error(`near is degraded: ${first.degraded}`)
      mostReached = Math.max(mostReached, first.reached_nodes)
      isSame &&= JSON.stringify(first) === JSON.stringify(again)
      found += first.entries.length
      return took
    }
    const worst = { depth: 3, kinds: ['import', 'call', 'contains'], hub_cap: 200, limit: 100 }
    const usual = await this.#times((round) => walk(round, 1, {}))
    const wide = await this.#times((round) => walk(round, 50, worst))
    const [root] = await firstNodes(this.#admin, brand_id, 1)
    const all = await this.#times(async () => {
      const query = { project_id, node_ids: [root], depth: 0, limit: 100 }
      return (await this.#post<Near>(token, 'entries:near', query))[1]
    })
    const promise = { check: 'L6', is_promise: true } as const
    return [
      {
        check: 'L6',
        what: 'graph',
        measured: `${nodes} nodes, ${edges} edges, ${lessons} lessons; ${filled} s`,
      },
      this.#line('L6', 'near, 1 file, defaults', usual, 60),
      this.#line('L6', 'near, 50 files, depth 3, all kinds, cap 200', wide, 2000),
      this.#line('L6', 'near, the root: everything under it', all, 2000),
      {
        ...promise,
        what: 'nodes of a walk',
        measured: `${mostReached}`,
        bar: '1,000',
        is_met: mostReached <= 1000,
      },
      {
        ...promise,
        what: 'the same again',
        measured: isSame ? 'always' : 'no',
        bar: 'always',
        is_met: isSame,
      },
      { ...promise, what: 'lessons found', measured: `${found}`, bar: 'some', is_met: found > 0 },
    ]
  }

  async few(model: StandInModel): Promise<CheckLine[]> {
    const size = { nodes: 20_000, lessons: fewLessons, dimension }
    const { brand_id, token, project_id } = await this.#filled(size)
    const node_ids = await firstNodes(this.#admin, brand_id, 1000)
    let counted = 0
    const lookups = await this.#times(async () => {
      const [read, took] = await this.#post<{ counts: Record<string, number> }>(token, 'anchors:lookup', {
        ...{ project_id, node_ids },
      })
      counted = read.counts[node_ids[0] ?? ''] ?? 0
      return took
    })
    const [calls, asked] = [model.calls.embeddings, this.#options.rounds + warming]
    let compared = 0
    const comparisons = await this.#times(async (round) => {
      const body = { text: `Never retry a payment without its key, said for the ${round}th time.` }
      const [read, took] = await this.#post<{ compared: number }>(token, 'entries:similar', body)
      compared = read.compared
      return took
    })
    const embedded = model.calls.embeddings - calls
    const embeddings = await this.#times((round) => embeddingMs(model, `Said for the ${round}th time.`))
    const oneEmbedding = Math.ceil(percentile(embeddings, 0.5))
    const line = (check: string, what: string, value: number, wanted: number): CheckLine => ({
      ...{ check, what, measured: `${value}`, bar: `${wanted}`, is_met: value === wanted, is_promise: true },
    })
    return [
      this.#line('L9', `lookup of 1,000 nodes with the root, ${fewLessons} lessons`, lookups, 100),
      line('L9', 'lessons under the root', counted, fewLessons),
      { check: 'L10', what: 'one embedding, p50', measured: `${oneEmbedding} ms` },
      this.#line(
        'L10',
        `similar among ${fewLessons} lessons, with one embedding`,
        comparisons,
        60 + oneEmbedding,
      ),
      line('L10', 'compared', compared, fewLessons),
      line('L10', `embeddings for ${asked} calls`, embedded, asked),
    ]
  }
}
