import type { Answer } from '@crewhall/testkit/world/call.ts'
import type { Member, World } from '@crewhall/testkit/world/world.ts'

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

export function memberVerbs(world: World) {
  return {
    /** Gives the person a password without the cost of one: nobody signs in with it. */
    async givePassword(person_id: number): Promise<void> {
      await world.sql(
        `insert into identity.passwords (person_id, password_hash) values ($1, 'none')
         on conflict (person_id) do update set password_hash = 'none'`,
        [person_id],
      )
    },
    async emailOf(person_id: number): Promise<string> {
      const [row] = await world.sql<{ email: string }>('select email from identity.people where id = $1', [
        person_id,
      ])
      return row?.email ?? ''
    },
    async newTeam(): Promise<Team> {
      const brand_id = await world.newBrand()
      const admin = await world.join(brand_id, 'admin')
      const member = await world.join(brand_id, 'member')
      const token = await world.newToken(admin, ['brand:read', 'brand:admin'])
      // Some tests move the clock by weeks.
      await world.sql(
        `update identity.tokens set expires_at = now() + interval '1 year' where brand_id = $1`,
        [brand_id],
      )
      const call: Team['call'] = (method, path, body) =>
        world.call({ token }, method, `/api/v1/brands/${brand_id}${path}`, body)
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
