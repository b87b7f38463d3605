import { randomBytes, randomUUID } from 'node:crypto'
import { defaultCeiling } from '@crewhall/contracts/scopes.ts'
import { newEmail } from '@crewhall/testkit/people.ts'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { digestOf, madeToken } from './auth-tokens.ts'

export interface Member {
  readonly brand_id: number
  readonly person_id: number
}

export interface IssuedToken {
  readonly id: string
  readonly token: string
}

/** Workspaces, people and credentials by SQL: hundreds of them cost less than one sign-up. */
export interface Workspaces {
  sql<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
  newBrand(ceiling?: readonly string[]): Promise<number>
  newPerson(is_staff?: boolean): Promise<number>
  join(brand_id: number, role: 'admin' | 'member', person_id?: number): Promise<Member>
  newTokens(member: Member, scopes: readonly string[], count: number): Promise<IssuedToken[]>
  newToken(member: Member, scopes?: readonly string[]): Promise<string>
  /** The header that a browser would send. */
  newCookie(person_id: number, brand_id: number | null): Promise<string>
}

/** Every scope that exists, so that only the token decides. */
const wideCeiling = [...defaultCeiling, 'brand:admin'] as const

export function useWorkspaces(database: () => { readonly url: string }): Workspaces {
  let pool: pg.Pool
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: database().url, max: 5, options: '-c app.system=on' })
  })
  afterAll(() => pool?.end())
  const sql = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await pool.query(text, [...values])).rows
  const idOf = async (text: string, values: readonly unknown[]): Promise<number> => {
    const [row] = await sql<{ id: number }>(text, values)
    if (!row) throw new Error(`nothing came of ${text}`)
    return row.id
  }
  const newPerson = (is_staff = false) =>
    idOf(
      'insert into identity.people (email, full_name, is_staff, email_verified) values ($1, $2, $3, true) returning id',
      [newEmail(), 'Ann Example', is_staff],
    )
  const newTokens = async ({ brand_id, person_id }: Member, scopes: readonly string[], count: number) => {
    const issued = Array.from({ length: count }, () => ({ id: randomUUID(), token: madeToken() }))
    await sql(
      `insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes, expires_at, last_used_on)
       select $1, id, $2, 'test', 'abcd', decode(hash, 'hex'), $3, now() + interval '1 day', now()::date
       from unnest($4::uuid[], $5::text[]) as made (id, hash)`,
      [brand_id, person_id, scopes, issued.map(({ id }) => id), issued.map(({ token }) => digestOf(token))],
    )
    return issued
  }
  return {
    sql,
    newPerson,
    newTokens,
    newBrand: (ceiling = wideCeiling) =>
      idOf(
        `insert into identity.brands (name, plan_key, scope_ceiling) values ($1, 'free', $2) returning id`,
        [`Workspace ${randomUUID()}`, ceiling],
      ),
    async join(brand_id, role, person_id) {
      const member = { brand_id, person_id: person_id ?? (await newPerson()) }
      await sql('insert into identity.memberships (brand_id, person_id, role) values ($1, $2, $3)', [
        brand_id,
        member.person_id,
        role,
      ])
      return member
    },
    async newToken(member, scopes = []) {
      const [made] = await newTokens(member, scopes, 1)
      return made?.token ?? ''
    },
    async newCookie(person_id, brand_id) {
      const secret = randomBytes(32).toString('base64url')
      await sql(
        `insert into identity.sessions (token_hash, person_id, brand_id, expires_at) values ($1, $2, $3, now() + interval '1 day')`,
        [digestOf(secret), person_id, brand_id],
      )
      return `crewhall_session=${secret}`
    },
  }
}
