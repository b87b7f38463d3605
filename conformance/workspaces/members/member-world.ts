import { json } from '@crewhall/testkit/people.ts'
import type { SharedServer } from '@crewhall/testkit/shared-server.ts'
import { type Member, World } from '@crewhall/testkit/world/world.ts'

interface Answer {
  readonly status: number
  readonly body: unknown
}

/** An admin with a token of every right, and a plain member of the same workspace. */
export interface Team {
  readonly brand_id: number
  readonly admin: Member
  readonly member: Member
  readonly token: string
  /** A call below `/api/v1/brands/{brand_id}` with the admin's token. */
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** The member as the workspace shows them. */
  read(user_id?: number): Promise<Record<string, unknown>>
}

export interface MemberWorld {
  readonly workspaces: World
  newTeam(): Promise<Team>
  as(
    credential: { token: string } | { cookie: string },
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer>
  /** Gives the person a password without the cost of one: nobody signs in with it. */
  givePassword(person_id: number): Promise<void>
  emailOf(person_id: number): Promise<string>
}

export function useMemberWorld(server: SharedServer): MemberWorld {
  const workspaces = new World(server)
  const as: MemberWorld['as'] = async (credential, method, path, body) => {
    const headers: Record<string, string> =
      'token' in credential ? { authorization: `Bearer ${credential.token}` } : { cookie: credential.cookie }
    const init = body === undefined ? { headers } : json(body, headers)
    const response = await server.get(path, { ...init, method })
    return { status: response.status, body: await response.json() }
  }
  return {
    workspaces,
    as,
    async givePassword(person_id) {
      await workspaces.sql(
        `insert into identity.passwords (person_id, password_hash) values ($1, 'none')
         on conflict (person_id) do update set password_hash = 'none'`,
        [person_id],
      )
    },
    async emailOf(person_id) {
      const [row] = await workspaces.sql<{ email: string }>(
        'select email from identity.people where id = $1',
        [person_id],
      )
      return row?.email ?? ''
    },
    async newTeam() {
      const brand_id = await workspaces.newBrand()
      const admin = await workspaces.join(brand_id, 'admin')
      const member = await workspaces.join(brand_id, 'member')
      const token = await workspaces.newToken(admin, ['brand:read', 'brand:admin'])
      // Some tests move the clock by weeks.
      await workspaces.sql(
        `update identity.tokens set expires_at = now() + interval '1 year' where brand_id = $1`,
        [brand_id],
      )
      const call: Team['call'] = (method, path, body) =>
        as({ token }, method, `/api/v1/brands/${brand_id}${path}`, body)
      return {
        brand_id,
        admin,
        member,
        token,
        call,
        async read(user_id = member.person_id) {
          return (await call('GET', `/members/${user_id}`)).body as Record<string, unknown>
        },
      }
    },
  }
}
