import { randomBytes } from 'node:crypto'
import type { Credential } from '@crewhall/testkit/world/call.ts'
import type { Conversation, ConversationWorkspace, Source } from './conversation-world.ts'

interface Card {
  readonly id: string
  readonly title: string
}

/** Boards of a workspace that has sources: what members, agents and guests do with their cards. */
export class AgentBoards {
  readonly work: ConversationWorkspace
  readonly member: Credential
  readonly agent: Credential

  private constructor(work: ConversationWorkspace, member: Credential, agent: Credential) {
    this.work = work
    this.member = member
    this.agent = agent
  }

  static async open(work: ConversationWorkspace): Promise<AgentBoards> {
    const { world, brand_id, person_id } = work
    const admin = await world.join(brand_id, 'admin')
    const member = await world.newToken(admin, ['brand:read', 'brand:admin'])
    const [issued] = await world.newTokens({ brand_id, person_id }, [], 1)
    if (!issued) throw new Error('no token was issued')
    await world.sql('update identity.tokens set agent = $2, agent_id = $3 where id = $1', [
      issued.id,
      'Bot',
      work.agent,
    ])
    return new AgentBoards(work, { token: member }, { token: issued.token })
  }

  async board(): Promise<string> {
    const key = [...randomBytes(10)].map((byte) => String.fromCharCode(65 + (byte % 26))).join('')
    const { id } = await this.#made<{ id: string }>(this.member, 'POST', '/boards', { name: 'Sprint', key })
    await this.#made(this.member, 'POST', `/boards/${id}/columns`, { name: 'Canceled', status: 'canceled' })
    return id
  }
  card(board_id: string, title: string, more: object = {}): Promise<Card> {
    return this.#made(this.member, 'POST', `/boards/${board_id}/tasks`, { title, ...more })
  }
  async comment(by: Credential, { id }: Card, body: string): Promise<void> {
    await this.#made(by, 'POST', `/tasks/${id}/comments`, { body })
  }
  /** A run of the agent that has ended with these words. */
  async run({ id }: Card, summary: string): Promise<void> {
    const run = await this.#made<{ id: string }>(this.agent, 'POST', `/tasks/${id}/runs`, {})
    await this.#made(this.agent, 'PATCH', `/runs/${run.id}`, { status: 'succeeded', summary })
  }
  async move({ id }: Card, status: string, by: Credential = this.agent): Promise<void> {
    await this.#made(by, 'PATCH', `/tasks/${id}`, { status })
  }
  async archive(board_id: string): Promise<void> {
    await this.#made(this.member, 'POST', `/boards/${board_id}/archive`, {})
  }

  /** Somebody from outside who may edit cards of one board, with the path of its cards. */
  async guest(board_id: string): Promise<{ by: Credential; tasks: string }> {
    const { world } = this.work
    const person = await world.newPerson()
    await world.sql(
      `insert into boards.guests (brand_id, board_id, person_id, role) values ($1, $2, $3, 'editor')`,
      [this.work.brand_id, board_id, person],
    )
    const by = { cookie: await world.newCookie(person, null) }
    return { by, tasks: `/shared/${board_id}/tasks` }
  }

  made<Body>(by: Credential, method: string, path: string, body: unknown): Promise<Body> {
    return this.#made(by, method, path, body)
  }
  #made<Body>(by: Credential, method: string, path: string, body: unknown): Promise<Body> {
    return this.work.world.made(by, method, `/api/v1/board${path}`, body)
  }

  source(...board_ids: readonly string[]): Promise<Source> {
    const config = board_ids.length > 0 ? { board_ids } : {}
    return this.work.add({ source_type: 'agentboard', config })
  }
  async conversations({ id }: Source): Promise<readonly Conversation[]> {
    const path = `/conversations?source_id=${id}&limit=50`
    return (await this.work.call<{ conversations: Conversation[] }>('GET', path)).body.conversations
  }
  /** What is stored of a card, by role. */
  async messagesOf(source: Source, { id }: Card): Promise<(readonly [string, string | null])[]> {
    const found = (await this.conversations(source)).find(({ conversation_id }) => conversation_id === id)
    const messages = found ? await this.work.messagesOf(found.id) : []
    return messages.map(({ role, text }) => [role, text] as const)
  }
}
