import { newToken, type SignedUp, signUp } from '@crewhall/testkit/people.ts'
import type { SharedServer } from '@crewhall/testkit/shared-server.ts'
import pg from 'pg'

export const root = '/api/v1/factory/coder-profiles'

export interface Profile {
  key: string
  version: string
  coder: string
  recommended_for: string[]
  model: string | null
  effort: string | null
  fallback_model: null
  limits: { max_turns: number | null; max_steps: number | null; wall_minutes: number | null }
  env: Record<string, string> | null
  reason: string
  sources: Record<'model' | 'effort' | 'limit_value', string>
  platform_defaults: { model: string | null; effort: string | null; limit_value: number | null }
}

export interface Change {
  id: number
  profile_key: string
  field: string
  old_value: string | null
  new_value: string | null
  actor_user_id: number
  actor_role: string
  created_at: string
}

export interface Answer<T> {
  status: number
  body: T
}

type Refused = { detail: string }

/** One workspace with an admin and a member, each with a token that has no scope at all (AUTH-20, AUTH-21). */
export class Workspace {
  readonly #server: SharedServer
  readonly owner: SignedUp
  readonly admin: string
  readonly member: string

  private constructor(server: SharedServer, owner: SignedUp, admin: string, member: string) {
    this.#server = server
    this.owner = owner
    this.admin = admin
    this.member = member
  }

  static async open(server: SharedServer): Promise<Workspace> {
    const get = (path: string, init?: RequestInit) => server.get(path, init)
    const [owner, other] = await Promise.all([signUp(get), signUp(get)])
    const { token: admin } = await newToken(get, owner, [])
    await sql(
      server,
      `insert into identity.memberships (brand_id, person_id, role) values ($1, $2, 'member')`,
      [owner.brand_id, other.person_id],
    )
    await sql(server, 'update identity.sessions set brand_id = $1 where person_id = $2', [
      owner.brand_id,
      other.person_id,
    ])
    const { token: member } = await newToken(get, { ...other, brand_id: owner.brand_id }, [])
    return new Workspace(server, owner, admin, member)
  }

  async call<T>(method: string, path: string, body?: unknown, token = this.admin): Promise<Answer<T>> {
    const response = await this.#server.get(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as T }
  }

  list = async (query = ''): Promise<Profile[]> =>
    (await this.call<Profile[]>('GET', `${root}${query}`, undefined, this.member)).body
  read = async (key: string): Promise<Profile> =>
    (await this.call<Profile>('GET', `${root}/${key}`, undefined, this.member)).body
  history = async (key: string, query = ''): Promise<Change[]> =>
    (await this.call<Change[]>('GET', `${root}/${key}/history${query}`, undefined, this.member)).body
  put = (key: string, body?: unknown, token = this.admin) =>
    this.call<Profile & Refused>('PUT', `${root}/${key}/override`, body, token)
  reset = (key: string, field: string, token = this.admin) =>
    this.call<Profile & Refused>('DELETE', `${root}/${key}/override/${field}`, undefined, token)
  open = (coder: string, available: boolean, token = this.admin) =>
    this.call<unknown>('PUT', `/api/v1/factory/coders/${coder}`, { available }, token)
}

export async function sql(server: SharedServer, text: string, values: unknown[] = []) {
  const client = new pg.Client(server.database.url)
  await client.connect()
  try {
    await client.query(`select set_config('app.system', 'on', false)`)
    return (await client.query(text, values)).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}
