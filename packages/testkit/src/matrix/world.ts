import { randomBytes, randomUUID } from 'node:crypto'
import { scopes as allScopes } from '@crewhall/contracts/scopes.ts'
import type pg from 'pg'
import { DeskCaller } from '../desk-caller.ts'
import { cookieOf, json } from '../people.ts'
import {
  type Caller,
  type Get,
  type NewWorkspace,
  outsiderEmail,
  type Person,
  type Values,
  type Workspace,
  type World,
} from './part.ts'
import { matrixParts } from './parts.ts'
import { cloneSession, digestOf, secretOf } from './sessions.ts'

/**
 * Three workspaces: callers belong to the first or the second, and the third is foreign to all of them. Every
 * text of a workspace holds its mark. `admin` is a connection as superuser.
 */
export async function createWorld(get: Get, admin: pg.Client): Promise<World> {
  const run = randomBytes(4).toString('hex')
  const marks = { one: `onemark${run}`, two: `twomark${run}`, three: `threemark${run}` }
  const brands = { one: 0, two: 0, three: 0 }

  const newPerson = async (mark: string) => {
    const email = `${mark}-${randomUUID()}@example.test`
    const input = {
      email,
      password: 'correct horse battery',
      full_name: `P ${mark}`,
      brand_name: `W ${mark}`,
    }
    const response = await get('/api/v1/auth/sign-up', json(input))
    const me = (await response.json()) as { brand_id: number; person: { id: number } }
    if (response.status !== 201) throw new Error(`sign-up answered ${response.status}`)
    await admin.query('update identity.people set email_verified = true where id = $1', [me.person.id])
    return { id: me.person.id, cookie: cookieOf(response), home: me.brand_id }
  }
  const join = async (mark: string, brand: number | null) => {
    const person = await newPerson(mark)
    await admin.query('delete from identity.memberships where person_id = $1', [person.id])
    await admin.query('update identity.sessions set brand_id = $2 where person_id = $1', [person.id, brand])
    if (brand !== null)
      await admin.query(
        `insert into identity.memberships (brand_id, person_id, role) values ($1, $2, 'member')`,
        [brand, person.id],
      )
    return person
  }
  const tokenOf = async (place: Workspace, { cookie }: Person, scopes: readonly string[]) => {
    const path = `/api/v1/brands/${brands[place]}/tokens`
    const response = await get(path, json({ name: `T ${marks[place]}`, scopes }, { cookie }))
    const made = (await response.json()) as { id: string; token: string }
    if (response.status !== 201) throw new Error(`token was answered ${response.status}`)
    // Used once, so that the server may remember it.
    const used = await get(path, { headers: { authorization: `Bearer ${made.token}` } })
    if (used.status !== 200) throw new Error(`a new token was answered ${used.status}`)
    return made
  }

  const [one, two, three] = await Promise.all([
    newPerson(marks.one),
    newPerson(marks.two),
    newPerson(marks.three),
  ])
  Object.assign(brands, { one: one.home, two: two.home, three: three.home })
  await admin.query('update identity.brands set scope_ceiling = $1', [allScopes])
  // One after the other: they share one connection.
  const member = await join(marks.one, brands.one)
  const otherMember = await join(marks.two, brands.two)
  const removed = await join(`removed${run}`, brands.one)
  const guest = await join(`guest${run}`, null)
  const of = (place: Workspace, person: Person, scopes: readonly string[] = allScopes) =>
    tokenOf(place, person, scopes)
  const [adminToken, memberToken, scopeless, expired, revoked, removedToken] = await Promise.all([
    of('one', one),
    of('one', member),
    of('one', one, []),
    of('one', one),
    of('one', one),
    of('one', removed),
  ])
  const [otherAdminToken, otherMemberToken] = await Promise.all([of('two', two), of('two', otherMember)])
  const kept = { one: await of('one', one), two: await of('two', two), three: await of('three', three) }
  const values = (place: 'one' | 'three', owner: Person) =>
    rowsOf({
      admin,
      get,
      brand_id: brands[place],
      mark: marks[place],
      owner,
      token_id: kept[place].id,
      guest_id: guest.id,
      is_foreign: place === 'three',
    })
  const made = { one: await values('one', one), three: await values('three', three) }
  const desk = await DeskCaller.plant(admin, brands.one, String(made.one.desk))
  await admin.query(
    `insert into identity.people (email, full_name, email_verified) values ($1, 'Outsider', true)`,
    [outsiderEmail],
  )
  const ended = await cloneSession(admin, one.cookie)

  await admin.query(`update identity.tokens set expires_at = now() - interval '1 second' where id = $1`, [
    expired.id,
  ])
  await admin.query('update identity.tokens set revoked_at = now() where id = $1', [revoked.id])
  await admin.query(
    `update identity.memberships set status = 'removed', removed_at = now() where person_id = $1`,
    [removed.id],
  )
  await admin.query(
    `update identity.sessions set expires_at = now() - interval '1 second' where token_hash = $1`,
    [digestOf(secretOf(ended))],
  )

  const none = {
    credential: 'none',
    brand: null,
    role: null,
    scopes: [],
    is_live: false,
    person_id: one.id,
  } as const
  const session = (name: string, person: Person, brand: Workspace | null, role: Caller['role']): Caller => ({
    name,
    credential: 'session',
    is_live: true,
    brand,
    role,
    scopes: [],
    person_id: person.id,
    headers: { cookie: person.cookie },
  })
  const token = (
    name: string,
    [person, { token: secret }]: readonly [Person, { token: string }],
    brand: Workspace,
    role: Caller['role'],
    more: Partial<Caller> = {},
  ): Caller => ({
    name,
    credential: 'token',
    is_live: true,
    brand,
    role,
    scopes: allScopes,
    person_id: person.id,
    headers: { authorization: `Bearer ${secret}` },
    ...more,
  })
  const dead = { is_live: false }
  const noCaller = (name: string, headers: Record<string, string>): Caller => ({ ...none, name, headers })
  const callers: Caller[] = [
    session('admin, session', one, 'one', 'admin'),
    token('admin, token', [one, adminToken], 'one', 'admin'),
    session('member, session', member, 'one', 'member'),
    token('member, token', [member, memberToken], 'one', 'member'),
    { ...session('guest, session', guest, null, null), guest_of: 'one' },
    session('removed member, session', removed, null, null),
    token('removed member, token', [removed, removedToken], 'one', null, dead),
    session('admin of another workspace, session', two, 'two', 'admin'),
    token('admin of another workspace, token', [two, otherAdminToken], 'two', 'admin'),
    session('member of another workspace, session', otherMember, 'two', 'member'),
    token('member of another workspace, token', [otherMember, otherMemberToken], 'two', 'member'),
    token('token without scopes', [one, scopeless], 'one', 'admin', { scopes: [] }),
    token('expired token', [one, expired], 'one', 'admin', dead),
    token('revoked token', [one, revoked], 'one', 'admin', dead),
    { ...session('expired session', one, 'one', 'admin'), ...dead, headers: { cookie: ended } },
    noCaller('malformed token', { authorization: 'Bearer chp_nothing' }),
    noCaller('token with a wrong checksum', { authorization: `Bearer ${flipped(adminToken.token)}` }),
    noCaller('nobody', {}),
    noCaller('Basic credentials', { authorization: `Basic ${btoa(`x:${adminToken.token}`)}` }),
    noCaller('secret of a session as a token', { authorization: `Bearer ${secretOf(one.cookie)}` }),
    noCaller('token as a session', { cookie: one.cookie.replace(/=.*/, `=${adminToken.token}`) }),
    noCaller('dead token beside a live session', {
      authorization: `Bearer ${revoked.token}`,
      cookie: one.cookie,
    }),
    { ...noCaller('join secret of a desk', { authorization: `Bearer ${desk.secret}` }), is_desk: true },
    {
      ...noCaller('key of a desk', {}),
      is_desk: true,
      sign: (method, path, body) =>
        desk.headersFor({ method, path, auth: { kind: 'desk', credential: 'key' } }, body),
    },
    noCaller('wrong admin key', { 'x-admin-key': 'not-the-key' }),
  ]
  const tokens = { one: kept.one.id, two: kept.two.id, three: kept.three.id }
  return { brands, marks, admins: { one, two, three }, tokens, values: made, callers }
}

/** What every module puts into a workspace, one after the other: they share one connection. */
async function rowsOf(workspace: NewWorkspace): Promise<Values> {
  let values: Values = {}
  for (const part of matrixParts) values = { ...values, ...(await part.rows?.(workspace)) }
  return values
}

const flipped = (token: string) => `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`
