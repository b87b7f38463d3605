import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { scopes as allScopes } from '@crewhall/contracts/scopes.ts'
import type pg from 'pg'
import type { Mark } from '../canary.ts'
import { cookieOf, formOf, json, newEmail } from '../people.ts'
import { png } from '../pictures/picture-png.ts'
import { admitBoardEditor, freshBoardGuest } from './board-guests.ts'
import { createMatrixBoard, type MatrixBoard } from './boards.ts'
import { admitEditor, createDocs, createOutsider, type Docs } from './docs.ts'
import { freshInvitation } from './members.ts'
import { createMatrixWebhook, type MatrixWebhook } from './webhooks.ts'

type Get = (path: string, init?: RequestInit) => Promise<Response>
export type Workspace = 'one' | 'two' | 'three'

/** What the oracle knows of a caller: facts of the set-up, nothing that the server has told. */
export interface CallerFacts {
  readonly name: string
  readonly credential: 'session' | 'token' | 'none'
  /** Whether the credential is good. */
  readonly is_live: boolean
  readonly brand: Workspace | null
  readonly role: 'admin' | 'member' | null
  readonly scopes: readonly string[]
  /** The workspace whose docs space and board they can open without belonging to it. */
  readonly guest_of?: Workspace
}

export interface Caller extends CallerFacts {
  readonly person_id: number
  readonly headers: Readonly<Record<string, string>>
}

interface Person {
  readonly id: number
  readonly cookie: string
}

export interface World {
  readonly brands: Readonly<Record<Workspace, number>>
  readonly marks: Readonly<Record<Workspace, Mark>>
  readonly admins: Readonly<Record<Workspace, Person>>
  /** A live token in each workspace that nobody may touch from outside. */
  readonly tokens: Readonly<Record<Workspace, string>>
  /** An open invitation of the workspace of the callers, and of the foreign one. */
  readonly invitations: { readonly one: number; readonly three: number }
  /** A docs space of the workspace of the callers, and of the foreign one. */
  readonly docs: { readonly one: Docs; readonly three: Docs }
  /** A board of the workspace of the callers, and of the foreign one. */
  readonly boards: { readonly one: MatrixBoard; readonly three: MatrixBoard }
  /** A webhook of the workspace of the callers, and of the foreign one. */
  readonly webhooks: { readonly one: MatrixWebhook; readonly three: MatrixWebhook }
  /** A guest of that board, by number. */
  readonly board_guests: { readonly one: number; readonly three: number }
  /** A session in whose place nobody else’s is taken. */
  readonly sessions: { readonly one: number; readonly three: number }
  readonly callers: readonly Caller[]
}

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
  await givePhoto(get, brands.one, one)
  await givePhoto(get, brands.three, three)
  const invitations = {
    one: await freshInvitation(admin, brands.one, marks.one),
    three: await freshInvitation(admin, brands.three, marks.three),
  }
  await admin.query(
    `insert into identity.brand_erasures (brand_id, due_at) values ($1, now() + interval '1 day')`,
    [brands.three],
  )
  const boards = {
    one: await createMatrixBoard(admin, brands.one, marks.one),
    three: await createMatrixBoard(admin, brands.three, marks.three),
  }
  const webhooks = {
    one: await createMatrixWebhook(admin, brands.one, marks.one),
    three: await createMatrixWebhook(admin, brands.three, marks.three),
  }
  const docs = {
    one: await createDocs(admin, brands.one, marks.one),
    three: await createDocs(admin, brands.three, marks.three),
  }
  const guestOf = (place: 'one' | 'three') =>
    freshBoardGuest(admin, {
      brand_id: brands[place],
      board_id: boards[place].board_id,
      mark: marks[place],
    })
  const board_guests = { one: await guestOf('one'), three: await guestOf('three') }
  await createOutsider(admin)
  await admitEditor(admin, brands.one, docs.one, guest.id)
  await admitBoardEditor(admin, { brand_id: brands.one, board_id: boards.one.board_id }, guest.id)
  const sessions = { one: await freshSession(admin, one.id), three: await freshSession(admin, three.id) }
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
    noCaller('wrong admin key', { 'x-admin-key': 'not-the-key' }),
  ]
  const tokens = { one: kept.one.id, two: kept.two.id, three: kept.three.id }
  return {
    brands,
    marks,
    admins: { one, two, three },
    tokens,
    invitations,
    docs,
    boards,
    board_guests,
    webhooks,
    sessions,
    callers,
  }
}

async function givePhoto(get: Get, brand: number, { id, cookie }: Person): Promise<void> {
  const body = formOf('file', png({ width: 2, height: 2 }))
  const response = await get(`/api/v1/brands/${brand}/members/${id}/photo`, {
    method: 'POST',
    headers: { cookie },
    body,
  })
  await response.text()
  if (response.status !== 200) throw new Error(`photo was answered ${response.status}`)
}

const flipped = (token: string) => `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`
const secretOf = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1)
const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** Another session of the same person, for a call that may end it. Answers its cookie. */
export async function cloneSession(admin: pg.Client, cookie: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await admin.query(
    `insert into identity.sessions (token_hash, person_id, brand_id, expires_at)
     select $2, person_id, brand_id, expires_at from identity.sessions where token_hash = $1`,
    [digestOf(secretOf(cookie)), digestOf(secret)],
  )
  return cookie.replace(/=.*/, `=${secret}`)
}

/** They end every other session of their person, so they are called by somebody made for them alone. */
const endingSessions = new Set(['identity.endOtherSessions', 'identity.changePassword'])

/** The cookie for a call that may end what it is made with. */
export const spareCookie = (admin: pg.Client, { id }: AnyRoute, cookie: string): Promise<string> =>
  endingSessions.has(id) ? cloneAccount(admin, cookie) : cloneSession(admin, cookie)

/** Somebody with the same name and password, signed in for no workspace. */
async function cloneAccount(admin: pg.Client, cookie: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await admin.query(
    `with caller as (
       select p.id, p.full_name from identity.sessions s join identity.people p on p.id = s.person_id
       where s.token_hash = $1),
     person as (
       insert into identity.people (email, full_name, email_verified) select $3, full_name, true from caller returning id),
     password as (
       insert into identity.passwords (person_id, password_hash)
       select person.id, w.password_hash from person, caller join identity.passwords w on w.person_id = caller.id)
     insert into identity.sessions (token_hash, person_id, expires_at)
     select $2, id, now() + interval '1 day' from person`,
    [digestOf(secretOf(cookie)), digestOf(secret), newEmail()],
  )
  return cookie.replace(/=.*/, `=${secret}`)
}

/** Another session of that person. Answers its id. */
export async function freshSession(admin: pg.Client, person_id: number): Promise<number> {
  const { rows } = await admin.query<{ id: string }>(
    `insert into identity.sessions (token_hash, person_id, expires_at)
     values ($1, $2, now() + interval '1 day') returning id`,
    [digestOf(randomUUID()), person_id],
  )
  return Number(rows[0]?.id)
}

/** A live token of that caller in the first workspace, for a call that may end it. Answers its id. */
export async function freshToken(admin: pg.Client, world: World, caller: Caller): Promise<string> {
  const id = randomUUID()
  // A token ends only what it has issued.
  const [, issuer = ''] = caller.headers.authorization?.split(' ') ?? []
  await admin.query(
    `insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes, expires_at, issued_by)
     values ($1, $2, $3, $4, 'abcd', $5, '{}', now() + interval '1 day',
       (select id from identity.tokens where brand_id = $1 and token_hash = decode($6, 'hex')))`,
    [world.brands.one, id, caller.person_id, `T ${world.marks.one}`, randomBytes(32), digestOf(issuer)],
  )
  return id
}
