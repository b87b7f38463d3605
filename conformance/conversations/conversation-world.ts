import { type Answer, type Credential, call } from '@crewhall/testkit/world/call.ts'
import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { World } from '@crewhall/testkit/world/world.ts'

export interface Source {
  readonly id: string
  readonly agent_id: string
  readonly source_type: string
  readonly config: Readonly<Record<string, unknown>>
  readonly enabled: boolean
  readonly paused_reason: string | null
  readonly created_by: number | null
  readonly created_at: string
  readonly updated_at: string
}

export interface Conversation {
  readonly id: string
  readonly source_id: string
  readonly agent_id: string
  readonly conversation_id: string
  readonly state: string
  readonly reason: string | null
  readonly attempts: number
  readonly next_try_at: string | null
  readonly message_count: number
  readonly read_through: number
  readonly dropped: Readonly<Record<string, number>>
  readonly redacted: number
}
export interface Received extends Conversation {
  readonly stored: number
  readonly unchanged: number
  readonly next_seq: number
  readonly skipped: Readonly<Record<string, number>>
  readonly is_cut: boolean
}
export interface StoredMessage {
  readonly seq: number
  readonly role: string
  readonly text: string | null
  readonly sent_at: string | null
}

export const said = (text: string, role = 'person') => ({ role, text })

export const nowhere = '00000000-0000-4000-8000-000000000000'

/** A workspace with an agent, and what a member with both scopes does with its sources and conversations. */
export class ConversationWorkspace {
  readonly world: World
  readonly brand_id: number
  readonly person_id: number
  readonly token: string
  readonly agent = 'build-bot'
  readonly #server: WorldServer

  constructor(server: WorldServer, of: { brand_id: number; person_id: number; token: string }) {
    this.#server = server
    this.world = new World(server)
    this.brand_id = of.brand_id
    this.person_id = of.person_id
    this.token = of.token
  }

  static async open(server: WorldServer): Promise<ConversationWorkspace> {
    const world = new World(server)
    const member = await world.join(await world.newBrand(), 'member')
    const token = await world.newToken(member, ['memory:read', 'memory:write'])
    const opened = new ConversationWorkspace(server, { ...member, token })
    await opened.newAgent(opened.agent)
    await opened.limitSources(1000)
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

  /** How many sources its plan allows from now on. */
  async limitSources(source_cap: number): Promise<void> {
    const key = `plan_of_${this.brand_id}`
    await this.world.sql(
      `with plan as (
         insert into identity.plans (key, name, features, desk_cap, source_cap) values ($1, $1, '{feed}', 1, $2)
         on conflict (key) do update set source_cap = excluded.source_cap)
       select`,
      [key, source_cap],
    )
    await this.world.sql('update identity.brands set plan_key = $2 where id = $1', [this.brand_id, key])
  }

  tokenWith(...scopes: readonly string[]): Promise<string> {
    return this.world.newToken(this, scopes)
  }

  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    by: Credential = { token: this.token },
  ): Promise<Answer<Body>> {
    return call(this.#server.get, by, method, `/api/v1/memory${path}`, body)
  }

  create(more: object = {}): Promise<Answer<Source>> {
    return this.call<Source>('POST', '/sources', {
      agent_id: this.agent,
      source_type: 'claude_code',
      ...more,
    })
  }

  async add(more: object = {}): Promise<Source> {
    const { status, body } = await this.create(more)
    if (status !== 201) throw new Error(`the source was refused with ${status}: ${JSON.stringify(body)}`)
    return body
  }

  send(source_id: string, conversation: object): Promise<Answer<Received>> {
    return this.call<Received>('POST', `/sources/${source_id}/conversations`, conversation)
  }

  sendMessages(
    source_id: string,
    conversation_id: string,
    messages: readonly object[],
    first_seq = 0,
  ): Promise<Answer<Received>> {
    return this.send(source_id, { format: 'messages', conversation_id, first_seq, messages })
  }

  async messagesOf(id: string): Promise<readonly StoredMessage[]> {
    const path = `/conversations/${id}/messages?limit=50`
    return (await this.call<{ messages: StoredMessage[] }>('GET', path)).body.messages
  }

  async countSources(): Promise<number> {
    const [found] = await this.world.sql<{ n: number }>(
      'select count(*)::int as n from conversations.sources where brand_id = $1',
      [this.brand_id],
    )
    return found?.n ?? Number.NaN
  }
}
