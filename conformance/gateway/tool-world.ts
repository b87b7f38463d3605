import { McpCaller, type McpOptions } from '@crewhall/testkit/mcp/mcp-caller.ts'
import type { SharedServer } from '@crewhall/testkit/shared-server.ts'
import type { Credential } from '@crewhall/testkit/world/call.ts'
import { type Member, World } from '@crewhall/testkit/world/world.ts'
import type { Board, Card } from '../boards/board-workspace.ts'

export const allScopes = ['brand:read', 'brand:admin', 'memory:read', 'memory:write', 'code:read'] as const

/** A workspace whose admin has a token with every scope, and what tests of the gateway do in it. */
export class ToolWorkspace {
  readonly world: World
  readonly member: Member
  readonly by: { readonly token: string }
  readonly mcp: McpCaller
  readonly #server: Pick<SharedServer, 'get' | 'sql'>
  #keys = 0

  constructor(server: Pick<SharedServer, 'get' | 'sql'>, member: Member, token: string) {
    this.#server = server
    this.world = new World(server)
    this.member = member
    this.by = { token }
    this.mcp = this.as(this.by)
  }

  static async open(server: Pick<SharedServer, 'get' | 'sql'>): Promise<ToolWorkspace> {
    const world = new World(server)
    const member = await world.join(await world.newBrand(), 'admin')
    return new ToolWorkspace(server, member, await world.newToken(member, allScopes))
  }

  /** Somebody else, who need not belong to this workspace. */
  as(by: Credential, options: McpOptions = {}): McpCaller {
    return new McpCaller((path, init) => this.#server.get(path, init), by, options)
  }

  at(path: string): McpCaller {
    return this.mcp.with({ path })
  }

  async newAgent(agent_id: string): Promise<string> {
    await this.world.sql('insert into identity.agents (brand_id, agent_id, name) values ($1, $2, $3)', [
      this.member.brand_id,
      agent_id,
      'Bot',
    ])
    return agent_id
  }

  /** A token that an agent works with. */
  async agentToken(agent_id: string, scopes: readonly string[] = allScopes): Promise<string> {
    const [made] = await this.world.newTokens(this.member, scopes, 1)
    await this.world.sql('update identity.tokens set agent_id = $2 where id = $1', [made?.id, agent_id])
    return made?.token ?? ''
  }

  board(more: object = {}): Promise<Board> {
    this.#keys += 1
    const key = `T${String.fromCharCode(65 + Math.floor(this.#keys / 26), 65 + (this.#keys % 26))}`
    return this.world.made<Board>(this.by, 'POST', '/api/v1/board/boards', {
      name: `Board ${key}`,
      key,
      ...more,
    })
  }

  card(board: Board, more: object = {}): Promise<Card> {
    const path = `/api/v1/board/boards/${board.id}/tasks`
    return this.world.made<Card>(this.by, 'POST', path, { title: 'A card', ...more })
  }
}
