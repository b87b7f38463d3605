import { randomBytes } from 'node:crypto'
import { createDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { runProcess, type ServerProcess, startProcess } from '@crewhall/testkit/server-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { accessTo } from '@crewhall/testkit/world/database-access.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import pg from 'pg'
import { withServiceEnv } from '../../tools/dev/service-env.ts'
import { type BenchServer, startBenchServer } from '../bench-server.ts'
import { production } from '../http-bench.ts'

const scopes = ['memory:read', 'memory:write']

export interface Workspace {
  readonly brand_id: number
  readonly person_id: number
  readonly token: string
}

export interface Response_ {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly ms: number
}

export interface Found {
  readonly memories: readonly {
    readonly id: string
    readonly title: string
    readonly [field: string]: unknown
  }[]
}

/** A database with the tables of the product, and servers of it, each with settings of its own. */
export class MemoryHost {
  readonly database: TestDatabase
  readonly world: World
  readonly #access: ReturnType<typeof accessTo>
  readonly #servers: BenchServer[] = []
  readonly #pools: pg.Pool[] = []
  #workers: ServerProcess[] = []

  constructor(database: TestDatabase) {
    this.database = database
    this.#access = accessTo(() => database)
    const get = () => Promise.reject(new Error('calls go to a server of the host'))
    this.world = new World({ get, sql: this.#access.sql })
  }

  static async open(): Promise<MemoryHost> {
    const database = await createDatabase(`bench_memory_${process.pid}_${randomBytes(3).toString('hex')}`)
    try {
      const env = { DATABASE_OWNER_URL: database.owner_url }
      await runProcess({ entry: 'apps/server/src/migrate.ts', database_url: database.url, env })
      return new MemoryHost(database)
    } catch (error) {
      await database.drop()
      throw error
    }
  }

  async start(env: Record<string, string> = {}): Promise<BenchServer> {
    const { REDIS_URL = '' } = withServiceEnv(process.env)
    // On a machine that others use too, a delay is theirs: it must not fail the run.
    const settings = { ...production, HTTP_MAX_EVENT_LOOP_DELAY_MS: '60000', LOG_LEVEL: 'warn' }
    const server = await startBenchServer('apps/server/src/api.ts', {
      DATABASE_URL: this.database.url,
      REDIS_URL,
      ...settings,
      ...env,
    })
    this.#servers.push(server)
    return server
  }

  /** Make vectors by the built-in model, as an installation without settings does: one for each of two cores. */
  async startWorkers(): Promise<void> {
    const start = () =>
      startProcess({
        entry: 'apps/server/src/worker.ts',
        database_url: this.database.url,
        env: { EMBEDDINGS: 'offline' },
      })
    this.#workers = await Promise.all([start(), start()])
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()))
    this.#workers = []
  }

  async workspace(): Promise<Workspace> {
    const member = await this.world.join(await this.world.newBrand(), 'member')
    const token = await this.world.newToken(member, scopes)
    // Decay is measured in years.
    await this.world.sql(`update identity.tokens set expires_at = now() + interval '50 years'`)
    return { ...member, token }
  }

  async addAgents({ brand_id }: Workspace, agents: readonly string[]): Promise<void> {
    await this.world.sql(
      'insert into identity.agents (brand_id, agent_id, name) select $1, id, id from unnest($2::text[]) as made (id)',
      [brand_id, agents],
    )
  }

  readonly sql: World['sql'] = (text, values) => this.world.sql(text, values)

  /** As the role of the product, standing in a workspace: what a caller without our layers would send. */
  bare({ brand_id }: Workspace, connections = 1): pg.Pool {
    const pool = new pg.Pool({
      connectionString: this.database.url,
      max: connections,
      options: `-c app.brand_id=${brand_id} -c TimeZone=UTC`,
    })
    this.#pools.push(pool)
    return pool
  }

  /** Until all that was written has its vector. */
  async vectorsMade({ brand_id }: Workspace): Promise<void> {
    const queued = () =>
      this.sql('select from memory.embedding_queue where brand_id = $1 limit 1', [brand_id])
    await waitFor(async () => (await queued()).length === 0, 300_000)
  }

  /** Every row of every table, as text. */
  async everyRow(): Promise<string> {
    const client = await this.#access.connection('superuser')
    try {
      const { rows: tables } = await client.query<{ name: string }>(
        `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
         where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
      )
      const texts: string[] = []
      for (const { name } of tables) {
        const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
        texts.push(...rows.map(({ row }) => row))
      }
      return texts.join('\n')
    } finally {
      await client.end()
    }
  }

  async owner(text: string): Promise<void> {
    const client = await this.#access.connection('superuser')
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }

  async close(): Promise<void> {
    await this.stopWorkers()
    await Promise.all(this.#servers.map((server) => server.stop()))
    await Promise.all(this.#pools.map((pool) => pool.end()))
    await this.#access.close()
    await this.database.drop()
  }
}

/** One caller of one server. */
export class MemoryCaller {
  readonly #url: string
  readonly #token: string

  constructor({ url }: Pick<BenchServer, 'url'>, { token }: Workspace) {
    this.#url = url
    this.#token = token
  }

  async call(method: string, path: string, body?: unknown): Promise<Response_> {
    const began = performance.now()
    const response = await fetch(`${this.#url}/api/v1/memory${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, ms: performance.now() - began }
  }

  /** For what has to go well. */
  async made<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const { status, text } = await this.call(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${text.slice(0, 500)}`)
    return (text === '' ? undefined : JSON.parse(text)) as Body
  }

  search(agent: string, query: Readonly<Record<string, string>>, format = 'json'): Promise<Response_> {
    return this.call('POST', `/agents/${agent}/context?${new URLSearchParams({ ...query, format })}`)
  }

  recall(agent: string, query: string, limit: number): Promise<Response_> {
    const wanted = new URLSearchParams({ query, limit: String(limit), format: 'json' })
    return this.call('POST', `/agents/${agent}/context/relevant?${wanted}`)
  }

  async found(agent: string, query: string, limit: number): Promise<Found> {
    const { status, text } = await this.search(agent, { query, limit: String(limit) })
    if (status !== 200) throw new Error(`a search returned ${status}: ${text.slice(0, 500)}`)
    return JSON.parse(text) as Found
  }
}

/** Each piece of work once, `width` of them at a time. */
export async function atOnce<Item>(
  width: number,
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < items.length) {
      const at = next
      next += 1
      await work(items[at] as Item, at)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
}
