import { createHash } from 'node:crypto'
import type { Answer } from '@crewhall/testkit/world/call.ts'
import { newFounder, Workspace, type WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { World } from '@crewhall/testkit/world/world.ts'

export const adminKey = 'an-admin-key-of-the-marketplace'
/** For servers whose tests publish packages. */
export const operatorEnv = { ADMIN_KEY_DIGESTS: createHash('sha256').update(adminKey).digest('hex') }

export interface Install {
  readonly id: string
  readonly package_key: string
  readonly version: string
  readonly enabled: boolean
  readonly origin: string
  readonly state: string
  readonly everyone: boolean
  readonly agent_ids: string[]
  readonly has_credential: boolean
  readonly hire_count: number
  readonly tools: { readonly name: string }[]
  readonly found: { readonly digest: string; readonly tools: { readonly name: string }[] } | null
  readonly detail?: string
}

/** One workspace and what its admin does with packages. */
export class MarketWorkspace extends Workspace {
  override readonly root = '/api/v1/marketplace'
  readonly #world: World

  constructor(founder: ConstructorParameters<typeof Workspace>[0]) {
    super(founder)
    this.#world = new World(founder.server)
  }

  static async open(server: WorldServer): Promise<MarketWorkspace> {
    return new MarketWorkspace(await newFounder(server))
  }

  /** As the admin, in a session. */
  asAdmin<Body = Install>(method: string, path: string, body?: unknown, headers = {}): Promise<Answer<Body>> {
    return this.#world.call(this.owner, method, `${this.root}${path}`, body, headers)
  }

  async install(package_key: string, more: object = {}): Promise<Install> {
    const { status, body } = await this.asAdmin('POST', '/installs', { package_key, ...more })
    if (status !== 201) throw new Error(`the install was answered ${status}: ${JSON.stringify(body)}`)
    return body
  }

  async read(install: { readonly id: string }): Promise<Install> {
    return (await this.asAdmin('GET', `/installs/${install.id}`)).body
  }

  async newAgent(agent_id: string): Promise<string> {
    await this.#world.made(this.owner, 'POST', '/api/v1/agents', { agent_id, name: agent_id })
    return agent_id
  }

  /** A token of a member with these scopes. */
  async tokenWith(scopes: readonly string[], role: 'admin' | 'member' = 'member'): Promise<string> {
    const { brand_id } = this.owner
    await this.#world.sql('update identity.brands set scope_ceiling = $2 where id = $1', [
      brand_id,
      ['brand:read', 'brand:admin', 'memory:read', 'memory:write', 'code:read'],
    ])
    return this.#world.newToken(await this.#world.join(brand_id, role), scopes)
  }

  auditActions(): Promise<{ action: string; old_value: unknown; new_value: unknown }[]> {
    return this.#world.sql(
      `select action, old_value, new_value from platform.audit_entries
       where brand_id = $1 and action like 'install.%' order by created_at, id`,
      [this.owner.brand_id],
    )
  }
}
