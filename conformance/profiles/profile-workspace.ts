import { bearer } from '@crewhall/testkit/world/call.ts'
import { type Founder, newFounder, Workspace, type WorldServer } from '@crewhall/testkit/world/workspace.ts'

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

export interface ProfileChange {
  id: number
  profile_key: string
  field: string
  old_value: string | null
  new_value: string | null
  actor_user_id: number
  actor_role: string
  created_at: string
}

type Refused = { detail: string }

/** A workspace with an admin and a member, each with a token that has no scope at all (AUTH-20, AUTH-21). */
export class ProfileWorkspace extends Workspace {
  readonly admin: string
  readonly member: string

  private constructor(founder: Founder, member: string) {
    super(founder)
    this.admin = founder.token
    this.member = member
  }

  static async open(server: WorldServer): Promise<ProfileWorkspace> {
    const founder = await newFounder(server)
    const { token } = await new Workspace(founder).newMember()
    return new ProfileWorkspace(founder, token)
  }

  list = async (query = ''): Promise<Profile[]> =>
    (await this.call<Profile[]>('GET', `${root}${query}`, undefined, bearer(this.member))).body
  read = async (key: string): Promise<Profile> =>
    (await this.call<Profile>('GET', `${root}/${key}`, undefined, bearer(this.member))).body
  history = async (key: string, query = ''): Promise<ProfileChange[]> =>
    (
      await this.call<ProfileChange[]>(
        'GET',
        `${root}/${key}/history${query}`,
        undefined,
        bearer(this.member),
      )
    ).body
  put = (key: string, body?: unknown, token = this.admin) =>
    this.call<Profile & Refused>('PUT', `${root}/${key}/override`, body, bearer(token))
  reset = (key: string, field: string, token = this.admin) =>
    this.call<Profile & Refused>('DELETE', `${root}/${key}/override/${field}`, undefined, bearer(token))
  open = (coder: string, available: boolean, token = this.admin) =>
    this.call<unknown>('PUT', `/api/v1/factory/coders/${coder}`, { available }, bearer(token))
}
