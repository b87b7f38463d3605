import { randomBytes, randomUUID } from 'node:crypto'
import { defaultCeiling } from '@crewhall/contracts/scopes.ts'
import { newEmail } from '../people.ts'
import { type Answer, type Credential, call, type Headers } from './call.ts'
import type { Sql } from './database-access.ts'
import { digestOf, madeToken } from './secrets.ts'
import type { WorldServer } from './workspace.ts'

export interface Member {
  readonly brand_id: number
  readonly person_id: number
}

export interface IssuedToken {
  readonly id: string
  readonly token: string
}

/** Every scope that exists, so that only the token decides. */
const wideCeiling = [...defaultCeiling, 'brand:admin'] as const

/** Workspaces, people and credentials by SQL: hundreds of them cost less than one sign-up. */
export class World {
  readonly #server: WorldServer

  constructor(server: WorldServer) {
    this.#server = server
  }

  readonly sql: Sql = (text, values) => this.#server.sql(text, values)

  readonly call = <Body = unknown>(
    by: Credential,
    method: string,
    path: string,
    body?: unknown,
    more?: Headers,
  ): Promise<Answer<Body>> => call(this.#server.get, by, method, path, body, more)

  /** The same, for what has to go well. */
  readonly made = async <Body = unknown>(...args: Parameters<World['call']>): Promise<Body> => {
    const { status, body } = await this.call<Body>(...args)
    if (status < 300) return body
    throw new Error(`${args[1]} ${args[2]} was answered ${status}: ${JSON.stringify(body)}`)
  }

  newBrand(ceiling: readonly string[] = wideCeiling): Promise<number> {
    return this.#id(
      `insert into identity.brands (name, plan_key, scope_ceiling) values ($1, 'free', $2) returning id`,
      [`Workspace ${randomUUID()}`, ceiling],
    )
  }

  newPerson(is_staff = false): Promise<number> {
    return this.#id(
      'insert into identity.people (email, full_name, is_staff, email_verified) values ($1, $2, $3, true) returning id',
      [newEmail(), 'Ann Example', is_staff],
    )
  }

  async join(brand_id: number, role: 'admin' | 'member', person_id?: number): Promise<Member> {
    const member = { brand_id, person_id: person_id ?? (await this.newPerson()) }
    await this.sql('insert into identity.memberships (brand_id, person_id, role) values ($1, $2, $3)', [
      brand_id,
      member.person_id,
      role,
    ])
    return member
  }

  async newTokens(
    { brand_id, person_id }: Member,
    scopes: readonly string[],
    count: number,
  ): Promise<IssuedToken[]> {
    const issued = Array.from({ length: count }, () => ({ id: randomUUID(), token: madeToken() }))
    await this.sql(
      `insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes, expires_at, last_used_on)
       select $1, id, $2, 'test', 'abcd', decode(hash, 'hex'), $3, now() + interval '1 day', now()::date
       from unnest($4::uuid[], $5::text[]) as made (id, hash)`,
      [brand_id, person_id, scopes, issued.map(({ id }) => id), issued.map(({ token }) => digestOf(token))],
    )
    return issued
  }

  async newToken(member: Member, scopes: readonly string[] = []): Promise<string> {
    const [made] = await this.newTokens(member, scopes, 1)
    return made?.token ?? ''
  }

  /** The header that a browser would send. */
  async newCookie(person_id: number, brand_id: number | null): Promise<string> {
    const secret = randomBytes(32).toString('base64url')
    await this.sql(
      `insert into identity.sessions (token_hash, person_id, brand_id, expires_at) values ($1, $2, $3, now() + interval '1 day')`,
      [digestOf(secret), person_id, brand_id],
    )
    return `crewhall_session=${secret}`
  }

  async #id(text: string, values: readonly unknown[]): Promise<number> {
    const [row] = await this.sql<{ id: number }>(text, values)
    if (!row) throw new Error(`nothing came of ${text}`)
    return row.id
  }
}
