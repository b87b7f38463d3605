import { cookieOf, json, newToken, type SignedUp, signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { whileLocked } from '@crewhall/testkit/while-locked.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { describe, expect, test } from 'vitest'
import { listLetters, newMailAddress } from '../workspaces/members/letters.ts'

const server = useServer('product', { HTTP_TRUST_PROXY: '127.0.0.1' })
const at = new World(server)
const get = (path: string, init?: RequestInit) => server.get(path, init)

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const me = '/api/v1/me'

interface Listed {
  readonly id: number
  readonly current: boolean
  readonly created_at: string
  readonly last_used_on: string | null
  readonly client: string | null
  readonly network: string | null
}

async function signIn({ email, password }: SignedUp, headers: Record<string, string> = {}): Promise<string> {
  const response = await get('/api/v1/auth/sign-in', json({ email, password }, headers))
  expect(response.status).toBe(200)
  return cookieOf(response)
}
const asked = async (method: string, path: string, cookie: string) => {
  const response = await get(path, { method, headers: { cookie } })
  return { status: response.status, body: await response.json() }
}
const list = async (cookie: string): Promise<Listed[]> => {
  const { status, body } = await asked('GET', `${me}/sessions`, cookie)
  expect(status).toBe(200)
  return (body as { sessions: Listed[] }).sessions
}
const currentId = async (cookie: string) => (await list(cookie)).find(({ current }) => current)?.id ?? 0
const end = (cookie: string, id: number | string) => asked('DELETE', `${me}/sessions/${id}`, cookie)
const endOthers = (cookie: string) => asked('DELETE', `${me}/sessions`, cookie)
const isLive = async (cookie: string) => (await asked('GET', me, cookie)).status === 200
const notFound = { status: 404, body: { detail: 'Session not found' } }

describe('a person sees where they are signed in', () => {
  test('newest first, with program, rough network and the current one marked', async () => {
    const owner = await signUp(get)
    const cookie = await signIn(owner, { 'user-agent': firefox, 'x-forwarded-for': '203.0.113.77' })
    const sessions = await list(cookie)
    expect(sessions).toMatchObject([
      { current: true, client: 'Firefox on Linux', network: '203.0.113.0/24' },
      { current: false, network: '127.0.0.0/24' },
    ])
    expect(sessions[0]?.last_used_on).toBe(sessions[0]?.created_at.slice(0, 10))
    expect(await list(owner.cookie)).toMatchObject([{ current: false }, { current: true }])
  })

  test('of the network and the program no more than that is in any table', async () => {
    const owner = await signUp(get)
    await signIn(owner, { 'user-agent': firefox, 'x-forwarded-for': '203.0.113.99' })
    // Counted tries go with their window of 15 minutes.
    const rows = await at.sql<{ text: string }>(
      `select s::text as text from identity.sessions s where person_id = $1
       union all select d::text from identity.devices d where person_id = $1
       union all select e::text from identity.platform_entries e where person_id = $1`,
      [owner.person_id],
    )
    expect(rows.length).toBeGreaterThan(5)
    expect(rows.filter(({ text }) => text.includes('203.0.113.99') || text.includes('Gecko'))).toEqual([])
  })

  test('the day of the last use is noted with the first request of a day', async () => {
    const owner = await signUp(get)
    const cookie = await signIn(owner)
    await at.sql(`update identity.sessions set last_used_on = '2020-01-01' where person_id = $1`, [
      owner.person_id,
    ])
    const used = await waitFor(async () => {
      const [first] = await list(cookie)
      return first?.last_used_on !== '2020-01-01' && first
    }, 20_000)
    expect(used).toMatchObject({ current: true, last_used_on: used.created_at.slice(0, 10) })
  })

  test('at most 100, of which the oldest ends first, and ended ones are left out', async () => {
    const owner = await signUp(get)
    await at.sql(
      `insert into identity.sessions (token_hash, person_id, expires_at)
       select gen_random_uuid()::text, $1, now() + interval '1 day' from generate_series(1, 120)`,
      [owner.person_id],
    )
    const cookie = await signIn(owner)
    expect(await list(cookie)).toHaveLength(100)
    const rows = await at.sql('select 1 from identity.sessions where person_id = $1', [owner.person_id])
    expect(rows).toHaveLength(100)
    expect(await isLive(owner.cookie)).toBe(false)
    await at.sql(
      `update identity.sessions set expires_at = now() - interval '1 second' where person_id = $1 and client is null`,
      [owner.person_id],
    )
    expect(await list(cookie)).toHaveLength(1)
  })
})

describe('a person ends a session', () => {
  test('one of theirs, at once in every process, and no other', async () => {
    const owner = await signUp(get)
    const [lost, kept] = [await signIn(owner), await signIn(owner)]
    const other = await server.start('api')
    const tokensOf = async (cookie: string) =>
      (await fetch(`${other.url}/api/v1/brands/${owner.brand_id}/tokens`, { headers: { cookie } })).status
    expect(await tokensOf(lost)).toBe(200)
    expect(await end(kept, await currentId(lost))).toEqual({ status: 200, body: { ended: true } })
    expect([await tokensOf(lost), await tokensOf(kept)]).toEqual([401, 200])
    expect([await isLive(lost), await isLive(kept), await isLive(owner.cookie)]).toEqual([false, true, true])
    expect(await end(kept, await currentId(kept))).toMatchObject({ status: 200 })
    expect(await isLive(kept)).toBe(false)
  })

  test('nobody ends another person’s: it is as good as missing, and nothing has changed', async () => {
    const [owner, stranger] = [await signUp(get), await signUp(get)]
    const id = await currentId(owner.cookie)
    const before = await at.sql('select * from identity.sessions order by id')
    expect(await end(stranger.cookie, id)).toEqual(notFound)
    expect(await end(stranger.cookie, 2_000_000_000)).toEqual(notFound)
    expect(await end(stranger.cookie, '9007199254740993')).toEqual(notFound)
    expect(await end(stranger.cookie, 'nope!')).toEqual(notFound)
    expect(await at.sql('select * from identity.sessions order by id')).toEqual(before)
    const told = await at.sql(
      `select 1 from identity.platform_entries where action = 'session.ended' and person_id = $1`,
      [stranger.person_id],
    )
    expect(told).toEqual([])
  })

  test('all others at once, those of nobody else, and it is in the audit', async () => {
    const [owner, stranger] = [await signUp(get), await signUp(get)]
    const [first, second] = [await signIn(owner), await signIn(owner)]
    expect(await endOthers(second)).toEqual({ status: 200, body: { ended: 2 } })
    expect([await isLive(owner.cookie), await isLive(first), await isLive(second)]).toEqual([
      false,
      false,
      true,
    ])
    expect(await isLive(stranger.cookie)).toBe(true)
    expect(await endOthers(second)).toEqual({ status: 200, body: { ended: 0 } })
    const told = await at.sql(
      `select new_value from identity.platform_entries where action = 'session.others_ended' and person_id = $1`,
      [owner.person_id],
    )
    expect(told).toEqual([{ new_value: { ended: 2 } }])
  })

  test('of two who end each other’s at the same moment one stays signed in', async () => {
    const owner = await signUp(get)
    const other = await signIn(owner)
    const statuses = await whileLocked(
      server.database.name,
      `select 1 from identity.people where id = ${owner.person_id} for update`,
      [owner.cookie, other].map((cookie) => async () => (await endOthers(cookie)).status),
    )
    expect(statuses.toSorted()).toEqual([200, 401])
    expect([await isLive(owner.cookie), await isLive(other)].filter(Boolean)).toHaveLength(1)
  })
})

test('a token neither sees nor ends sessions, nor changes a password, and nobody does it unasked', async () => {
  const owner = await signUp(get)
  const { token } = await newToken(get, owner, [])
  const id = await currentId(owner.cookie)
  const body = { current_password: owner.password, password: 'made with a token' }
  const asToken = { ...bearer(token), 'content-type': 'application/json' }
  const calls: [string, string, object?][] = [
    ['GET', '/sessions'],
    ['DELETE', '/sessions'],
    ['DELETE', `/sessions/${id}`],
    ['PUT', '/password', body],
  ]
  for (const [method, path, sent] of calls) {
    const init = { method, ...(sent ? { body: JSON.stringify(sent) } : {}) }
    expect((await get(`${me}${path}`, { ...init, headers: asToken })).status).toBe(401)
    expect((await get(`${me}${path}`, { ...init, headers: {} })).status).toBe(401)
    const headers = { cookie: owner.cookie, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    const crossed = await get(`${me}${path}`, { ...init, headers: { ...asToken, ...headers } })
    // A dead end for a token that is brought along as well.
    expect(crossed.status).toBe(401)
    const { status } = await get(`${me}${path}`, {
      ...init,
      headers: { 'content-type': 'application/json', ...headers },
    })
    expect(status).toBe(method === 'GET' ? 200 : 403)
  }
  expect(await isLive(owner.cookie)).toBe(true)
  expect(await signIn(owner)).not.toBe('')
})

test('a guest, who belongs to no workspace, sees and ends their sessions as everybody does', async () => {
  const person_id = await at.newPerson()
  const [cookie, other] = [await at.newCookie(person_id, null), await at.newCookie(person_id, null)]
  expect(await list(cookie)).toHaveLength(2)
  expect(await endOthers(cookie)).toEqual({ status: 200, body: { ended: 1 } })
  expect(await isLive(other)).toBe(false)
})

test('whoever signs in from elsewhere and out at once is told of all the same', async () => {
  const email = newMailAddress()
  const owner = await signUp(get)
  await at.sql('update identity.people set email = $2 where id = $1', [owner.person_id, email])
  const cookie = await signIn(
    { ...owner, email },
    { 'user-agent': firefox, 'x-forwarded-for': '203.0.113.5' },
  )
  expect((await get('/api/v1/auth/sign-out', { method: 'POST', headers: { cookie } })).status).toBe(200)
  await server.start('worker')
  const letter = await waitFor(async () => {
    const found = await listLetters(email)
    return found.find(({ subject }) => subject === 'New sign-in to your account')
  }, 60_000)
  expect(letter.text).toContain('Someone signed in to your account on ')
  // The session is gone, and with it what was known of where it began.
  expect(letter.text).not.toContain('Firefox')
})
