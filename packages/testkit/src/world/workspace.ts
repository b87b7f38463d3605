import { newToken, type SignedUp, signUp } from '../people.ts'
import { type Answer, call, type Get, type Headers } from './call.ts'
import type { Sql } from './database-access.ts'

export interface WorldServer {
  readonly get: Get
  readonly sql: Sql
}

/** An admin who has signed up, with a token that has no scope. */
export interface Founder {
  readonly server: WorldServer
  readonly owner: SignedUp
  readonly token: string
}

export async function newFounder(server: WorldServer): Promise<Founder> {
  const owner = await signUp(server.get)
  const { token } = await newToken(server.get, owner, [])
  return { server, owner, token }
}

/** One workspace as its admin uses it. Modules extend it by their verbs and by the path that their routes share. */
export class Workspace implements Founder {
  readonly server: WorldServer
  readonly owner: SignedUp
  readonly token: string
  /** What the paths of all calls begin with. */
  readonly root: string = ''

  constructor({ server, owner, token }: Founder) {
    this.server = server
    this.owner = owner
    this.token = token
  }

  /** With the token, or with other headers that say who calls. */
  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Headers = {},
  ): Promise<Answer<Body>> {
    return call(this.server.get, { token: this.token }, method, `${this.root}${path}`, body, headers)
  }

  /** A new member with a token that has no scope. */
  async newMember(): Promise<{ person_id: number; token: string }> {
    const { get, sql } = this.server
    const { brand_id } = this.owner
    const member = await signUp(get)
    const { person_id } = member
    await sql(`insert into identity.memberships (brand_id, person_id, role) values ($1, $2, 'member')`, [
      brand_id,
      person_id,
    ])
    await sql('update identity.sessions set brand_id = $1 where person_id = $2', [brand_id, person_id])
    const { token } = await newToken(get, { ...member, brand_id }, [])
    return { person_id, token }
  }
}
