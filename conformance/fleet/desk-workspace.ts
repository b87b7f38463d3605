import { createHash } from 'node:crypto'
import { formOf } from '@crewhall/testkit/people.ts'
import { type Answer, type Credential, call } from '@crewhall/testkit/world/call.ts'
import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { World } from '@crewhall/testkit/world/world.ts'

interface Step {
  readonly key: string
  readonly title: string
  readonly state: string
  readonly reason: string | null
  readonly hint: string | null
  readonly done: boolean
}
export interface Desk {
  readonly workstation_id: string
  readonly name: string
  readonly runtime: string
  readonly region: string | null
  readonly description: string | null
  readonly status: string
  readonly ready: boolean
  readonly dormant: boolean
  readonly poll_url: string
  readonly onboarding_url: string
  readonly onboarding_steps: readonly Step[]
}
export interface Ordered extends Desk {
  readonly pat: string
  readonly install_command: string
  readonly install_command_sudo: string
  readonly pat_expires_at: string
}
export interface DeskList {
  readonly items: readonly Desk[]
  readonly dormant: readonly Desk[]
  readonly total: number
  readonly next_cursor: string | null
}
export interface Environment {
  readonly id: string
  readonly status: string
  readonly name: string
  readonly description: string | null
  readonly sidecar_url: string | null
  readonly image_url: string | null
  readonly [field: string]: unknown
}

export const nowhere = '00000000-0000-4000-8000-000000000000'
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

interface Holder {
  readonly brand_id: number
  readonly person_id: number
  readonly cookie: string
}

/** A workspace, and what a member with a session does with its desks. */
export class DeskWorkspace implements Holder {
  readonly world: World
  readonly brand_id: number
  readonly person_id: number
  readonly cookie: string
  readonly #server: WorldServer

  constructor(server: WorldServer, { brand_id, person_id, cookie }: Holder) {
    this.#server = server
    this.world = new World(server)
    this.brand_id = brand_id
    this.person_id = person_id
    this.cookie = cookie
  }

  static async open(server: WorldServer, desk_cap = 100): Promise<DeskWorkspace> {
    const world = new World(server)
    const member = await world.join(await world.newBrand(), 'member')
    const cookie = await world.newCookie(member.person_id, member.brand_id)
    // Longer than the weeks that tests let pass.
    await world.sql(
      `update identity.sessions set expires_at = now() + interval '90 days' where person_id = $1`,
      [member.person_id],
    )
    const opened = new DeskWorkspace(server, { ...member, cookie })
    await opened.limitDesks(desk_cap)
    return opened
  }

  /** How many desks its plan allows from now on. */
  async limitDesks(desk_cap: number): Promise<void> {
    const key = `plan_of_${this.brand_id}`
    await this.world.sql(
      `with plan as (
         insert into identity.plans (key, name, features, desk_cap, source_cap) values ($1, $1, '{machines}', $2, 1)
         on conflict (key) do update set desk_cap = excluded.desk_cap)
       select`,
      [key, desk_cap],
    )
    await this.world.sql('update identity.brands set plan_key = $2 where id = $1', [this.brand_id, key])
  }

  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    by: Credential = { cookie: this.cookie },
  ): Promise<Answer<Body>> {
    return call(this.#server.get, by, method, `/api/v1${path}`, body)
  }

  order(body: unknown = { name: 'Desk' }): Promise<Answer<Ordered>> {
    return this.call<Ordered>('POST', '/workstations', body)
  }

  async ordered(more: object = {}): Promise<Ordered> {
    const { status, body } = await this.order({ name: 'Desk', ...more })
    if (status !== 201) throw new Error(`the order was refused with ${status}: ${JSON.stringify(body)}`)
    return body
  }

  show(id: string, query = ''): Promise<Answer<Desk>> {
    return this.call<Desk>('GET', `/workstations/${id}${query}`)
  }

  async list(query = ''): Promise<DeskList> {
    return (await this.call<DeskList>('GET', `/workstations${query}`)).body
  }

  change(id: string, change?: unknown): Promise<Answer<Environment>> {
    return this.call<Environment>('PATCH', `/environments/${id}`, change)
  }

  logins() {
    return this.call<{ checked: number; dormant: number; expired: unknown[]; expired_count: number }>(
      'GET',
      '/environments/credentials/reauth-status',
    )
  }

  upload(
    id: string,
    bytes: Uint8Array,
    url?: string,
  ): Promise<Answer<{ env_id: string; image_url: string }>> {
    const get =
      url === undefined
        ? this.#server.get
        : (path: string, init?: RequestInit) => fetch(`${url}${path}`, init)
    const form = formOf('file', bytes, 'picture.png', '')
    return call(get, { cookie: this.cookie }, 'POST', `/api/v1/environments/${id}/image`, form)
  }

  photo(id: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#server.get(`/api/v1/environments/${id}/image`, {
      headers: { cookie: this.cookie, ...headers },
    })
  }

  /** Digests of the tokens that would be taken now. */
  async secrets(id: string): Promise<string[]> {
    const rows = await this.world.sql<{ secret_digest: string }>(
      'select secret_digest from fleet.join_secrets where brand_id = $1 and desk_id = $2',
      [this.brand_id, id],
    )
    return rows.map(({ secret_digest }) => secret_digest)
  }

  async audited(): Promise<string[]> {
    const rows = await this.world.sql<{ action: string }>(
      `select action from platform.audit_entries where brand_id = $1 and action like 'desk.%' order by created_at, id`,
      [this.brand_id],
    )
    return rows.map(({ action }) => action)
  }

  async events(): Promise<string[]> {
    const rows = await this.world.sql<{ type: string }>(
      `select type from platform.workspace_events where brand_id = $1 and type like 'desk.%' order by created_at, id`,
      [this.brand_id],
    )
    return rows.map(({ type }) => type)
  }
}
