import { randomBytes } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { createDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { DeskCrowd } from '@crewhall/testkit/desk-crowd.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { newToken } from '@crewhall/testkit/people.ts'
import { runProcess, type ServerProcess, startProcess } from '@crewhall/testkit/server-process.ts'
import { startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { accessTo, type DatabaseAccess } from '@crewhall/testkit/world/database-access.ts'
import { newFounder } from '@crewhall/testkit/world/workspace.ts'

/** The product as a drill watches it. */
export interface Watched {
  readonly database: TestDatabase
  readonly access: DatabaseAccess
  readonly line: FaultProxy
  readonly api: ServerProcess
  readonly ports: { readonly api: number; readonly worker: number }
  /** They answer health checks until they are told otherwise. */
  readonly desks: DeskCrowd
  /** In the memories of an agent, which asks a model that is away. */
  readonly search: (words: string) => Promise<Response>
  /** Asks a model that a workspace may ask three times a day. */
  readonly recall: () => Promise<Response>
  readonly places: readonly { readonly headers: Record<string, string>; readonly tasks: string }[]
}

/** Connections that one network may hold of the API. */
export const sockets = 60
/** A word that is in memories. */
const remembered = 'copper'

export async function startWatched(closing: (() => Promise<unknown>)[]): Promise<Watched> {
  const database = await createDatabase(`drill_${randomBytes(5).toString('hex')}`)
  closing.push(() => database.drop())
  const access = accessTo(() => database)
  closing.push(() => access.close())
  const owner = { DATABASE_OWNER_URL: database.owner_url }
  await runProcess({ entry: 'apps/server/src/migrate.ts', database_url: database.url, env: owner })
  const line = await startFaultProxy(readServiceFacts().postgres)
  closing.push(() => line.close())
  const inside = await freePort()
  const start = async (name: string, env: Record<string, string>) => {
    const more = { METRICS_PORT: String(inside), DATABASE_POOL_SIZE: '2', ...env }
    const made = await startProcess({
      entry: `apps/server/src/${name}.ts`,
      database_url: line.through(database.url),
      env: more,
    })
    closing.push(() => made.kill())
    return made
  }
  const model = await startStandInModel()
  closing.push(() => model.close())
  model.answer = () => ({ ids: [1] })
  const models = {
    EMBEDDINGS: 'url',
    EMBEDDINGS_MODEL: 'away',
    // Nobody listens there.
    EMBEDDINGS_URL: `http://127.0.0.1:${await freePort()}/v1`,
    LLM_URL: model.url,
    LLM_MODEL: 'stand-in',
    RECALL_DAILY_CALLS: '3',
  }
  const limits = { HTTP_MAX_IN_FLIGHT: '8', HTTP_MAX_SOCKETS_PER_NETWORK: String(sockets) }
  const api = await start('api', { ...limits, ...models })
  await start('worker', { DESK_NETWORKS: '127.0.0.0/8', DESK_CHECK_INTERVAL_MS: '500' })
  const get = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)
  const places = []
  const searching: string[] = []
  // One workspace alone would wait for its share, and not for the pool.
  for (let count = 0; count < 3; count += 1) {
    const { owner, token } = await newFounder({ get, sql: access.sql })
    searching.push((await newToken(get, owner, ['memory:read'])).token)
    const headers = { ...bearer(token), 'content-type': 'application/json' }
    const body = '{"name":"Board","key":"KEY"}'
    const made = await get('/api/v1/board/boards', { method: 'POST', headers, body })
    const { id } = (await made.json()) as { id: string }
    places.push({ headers, tasks: `${api.url}/api/v1/board/boards/${id}/tasks` })
  }
  await access.sql(
    `insert into identity.agents (brand_id, agent_id, name) select id, 'bot', 'Bot' from identity.brands`,
  )
  await access.sql(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
     select id, gen_random_uuid(), 'bot', 'fact', $1, 'Wire ' || n, '', '{}', '{}'
     from identity.brands, generate_series(1, 5) n`,
    [remembered],
  )
  const desks = await plantDesks(access)
  closing.push(() => desks.close())
  const askAgent = (path: string) =>
    get(`/api/v1/memory/agents/bot/${path}`, { method: 'POST', headers: bearer(searching[0] ?? '') })
  const search = (words: string) => askAgent(`context?query=${words}`)
  const recall = () => askAgent(`context/relevant?query=${remembered}`)
  const ports = { api: inside, worker: inside + 1 }
  return { database, access, line, api, ports, desks, places, search, recall }
}

async function plantDesks(access: DatabaseAccess): Promise<DeskCrowd> {
  const desks = new DeskCrowd('watching', 15)
  const brands = await access.sql<{ id: number }>('select id from identity.brands')
  const admin = await access.connection('superuser')
  await desks.plant(
    admin,
    brands.map(({ id }) => id),
    await desks.listen(),
  )
  await admin.end()
  return desks
}

export const read = ({ places }: Watched, at = 0): Promise<Response> => {
  const { headers, tasks } = places[at % places.length] ?? {}
  return fetch(tasks ?? '', headers ? { headers } : {})
}

export const post = ({ places: [place] }: Watched, title: string): Promise<Response> =>
  fetch(place?.tasks ?? '', {
    method: 'POST',
    headers: place?.headers ?? {},
    body: JSON.stringify({ title }),
  })
