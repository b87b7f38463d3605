import { type Answer, type Credential, call } from '@crewhall/testkit/world/call.ts'
import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { World } from '@crewhall/testkit/world/world.ts'

export interface Memory {
  readonly id: string
  readonly agent_id: string
  readonly kind: string
  readonly title: string
  readonly body: string
  readonly description: string | null
  readonly confidence: number
  readonly tags: readonly string[]
  readonly importance: string
  readonly status: string
  readonly version: number
  readonly is_locked: boolean
  readonly superseded_by: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly last_verified_at: string
  readonly possible_duplicate_of?: string | null
}
export interface Item {
  readonly id: string
  readonly title: string
  readonly confidence: number
  readonly [field: string]: unknown
}
export interface Found {
  readonly memories: readonly Item[]
  readonly count: number
  readonly agent_id: string
}

export const nowhere = '00000000-0000-4000-8000-000000000000'
const both = ['memory:read', 'memory:write'] as const

/** A workspace with an agent, and what a member with both scopes does with its memories. */
export class MemoryWorkspace {
  readonly world: World
  readonly brand_id: number
  readonly person_id: number
  readonly token: string
  readonly agent: string
  readonly server: WorldServer

  constructor(
    server: WorldServer,
    of: { brand_id: number; person_id: number; token: string; agent: string },
  ) {
    this.server = server
    this.world = new World(server)
    this.brand_id = of.brand_id
    this.person_id = of.person_id
    this.token = of.token
    this.agent = of.agent
  }

  static async open(server: WorldServer, agent = 'build-bot'): Promise<MemoryWorkspace> {
    const world = new World(server)
    const member = await world.join(await world.newBrand(), 'member')
    const token = await world.newToken(member, both)
    const opened = new MemoryWorkspace(server, { ...member, token, agent })
    await opened.newAgent(agent)
    return opened
  }

  async newAgent(agent_id: string): Promise<string> {
    await this.world.sql('insert into identity.agents (brand_id, agent_id, name) values ($1, $2, $3)', [
      this.brand_id,
      agent_id,
      'Bot',
    ])
    return agent_id
  }

  tokenWith(...scopes: readonly string[]): Promise<string> {
    return this.world.newToken(this, scopes)
  }

  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    by: Credential = { token: this.token },
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    return call(this.server.get, by, method, `/api/v1/memory${path}`, body, headers)
  }

  async add(more: object = {}): Promise<Memory> {
    const { status, body } = await this.create(more)
    if (status !== 201) throw new Error(`the memory was answered ${status}: ${JSON.stringify(body)}`)
    return body
  }

  create(more: object = {}): Promise<Answer<Memory>> {
    const memory = {
      agent_id: this.agent,
      kind: 'fact',
      title: 'A fact',
      body: 'The build takes nine minutes.',
    }
    return this.call<Memory>('POST', '/memories', { ...memory, ...more })
  }

  change(id: string, change: unknown): Promise<Answer<Memory>> {
    return this.call<Memory>('PATCH', `/memories/${id}`, change)
  }

  /** As JSON, whatever the default. */
  search(query: Readonly<Record<string, string>> = {}, agent = this.agent): Promise<Answer<Found>> {
    return this.call<Found>(
      'POST',
      `/agents/${agent}/context?${new URLSearchParams({ format: 'json', ...query })}`,
    )
  }

  recall(query: Readonly<Record<string, string>>, agent = this.agent): Promise<Answer<Found>> {
    const asked = new URLSearchParams({ format: 'json', ...query })
    return this.call<Found>('POST', `/agents/${agent}/context/relevant?${asked}`)
  }

  async titles(query: Readonly<Record<string, string>> = {}): Promise<string[]> {
    return (await this.search(query)).body.memories.map(({ title }) => title)
  }

  /** Lets time pass for one memory: everything about it happened so much earlier. */
  async age(id: string, days: number): Promise<void> {
    await this.world.sql(
      `update memory.memories set anchored_at = anchored_at - make_interval(hours => $3),
         verified_at = verified_at - make_interval(hours => $3)
       where brand_id = $1 and id = $2`,
      [this.brand_id, id, Math.round(days * 24)],
    )
  }
}
