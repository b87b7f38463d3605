import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cookieOf, json, newEmail, newToken, signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { ImapFlow } from 'imapflow'
import { expect, test } from 'vitest'

const server = useServer('product', {
  PUBLIC_URL: 'https://crewhall.test',
})
const get = (path: string, init?: RequestInit) => server.get(path, init)

test('AUTH-G1 S16: the session cookie is HttpOnly, Secure, SameSite=Lax and of this very host', async () => {
  const email = newEmail()
  const body = { email, password: 'correct horse battery', full_name: 'Ann', brand_name: 'One' }
  const response = await get('/api/v1/auth/sign-up', json(body))
  expect(response.status).toBe(201)
  expect(response.headers.get('set-cookie')).toMatch(
    /^__Host-crewhall_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/,
  )
})

test('S16: a session whose cookie has the name of before, without prefix, lives on', async () => {
  const { cookie } = await signUp(get)
  const old = cookie.replace('__Host-', '')
  expect(old).not.toBe(cookie)
  expect((await get('/api/v1/me', { headers: { cookie: old } })).status).toBe(200)
  // A planted cookie of the old name does not win over the real one.
  const planted = `crewhall_session=${'x'.repeat(43)}; ${cookie}`
  expect((await get('/api/v1/me', { headers: { cookie: planted } })).status).toBe(200)
})

test('AUTH-G2 a session is taken where a token is, and a token is 401 where only a session is taken', async () => {
  const owner = await signUp(get)
  const withSession = await get(`/api/v1/brands/${owner.brand_id}/tokens`, {
    headers: { cookie: owner.cookie },
  })
  expect(withSession.status).toBe(200)
  const { token } = await newToken(get, owner, [])
  const withToken = await get('/api/v1/auth/sign-out', { method: 'POST', headers: bearer(token) })
  expect(withToken.status).toBe(401)
})

test('AUTH-06 the brand of a session is the session’s, whatever a query or header says', async () => {
  const [mine, other] = [await signUp(get), await signUp(get)]
  const headers = { cookie: mine.cookie, 'x-brand-id': String(other.brand_id) }
  const response = await get(`/api/v1/me?brand_id=${other.brand_id}`, { headers })
  expect(await response.json()).toMatchObject({
    brand_id: mine.brand_id,
    credential: 'session',
    role: 'admin',
  })
})

test('a request that another site made a browser send is refused, and a program without Origin is not', async () => {
  const owner = await signUp(get)
  const order = (headers: Record<string, string>) =>
    get(
      `/api/v1/brands/${owner.brand_id}/tokens`,
      json({ name: 'x', scopes: [] }, { cookie: owner.cookie, ...headers }),
    )
  expect((await order({ origin: 'https://evil.test' })).status).toBe(403)
  expect((await order({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await order({ 'sec-fetch-site': 'same-site' })).status).toBe(403)
  expect((await order({ origin: 'https://crewhall.test', 'sec-fetch-site': 'same-origin' })).status).toBe(201)
  expect((await order({})).status).toBe(201)
})

test('a wrong password and an unknown address get the same answer', async () => {
  const owner = await signUp(get)
  const answers = await Promise.all(
    [owner.email, newEmail()].map(async (email) => {
      const response = await get('/api/v1/auth/sign-in', json({ email, password: 'not it at all' }))
      return [response.status, await response.text()]
    }),
  )
  expect(answers[0]).toEqual([401, '{"detail":"Wrong e-mail address or password"}'])
  expect(answers[1]).toEqual(answers[0])
})

test('twenty guesses at once reach the password ten times', async () => {
  const owner = await signUp(get)
  const guess = () => get('/api/v1/auth/sign-in', json({ email: owner.email, password: 'guess' }))
  const statuses = (await Promise.all(Array.from({ length: 20 }, guess))).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(10)
})

test('signing out ends the session at once', async () => {
  const owner = await signUp(get)
  const headers = { cookie: owner.cookie }
  expect((await get('/api/v1/auth/sign-out', { method: 'POST', headers })).status).toBe(200)
  expect((await get('/api/v1/me', { headers })).status).toBe(401)
})

test('a foreign workspace cannot be switched to, and the answer is that of a missing one', async () => {
  const [mine, other] = [await signUp(get), await signUp(get)]
  for (const brand_id of [other.brand_id, 999_999_999]) {
    const init = { ...json({ brand_id }, { cookie: mine.cookie }), method: 'PUT' }
    const response = await get('/api/v1/me/brand', init)
    expect([response.status, await response.text()]).toEqual([404, '{"detail":"Brand not found"}'])
  }
})

test('a reset link from the delivered mail sets a password once, and ends all sessions', async () => {
  const { mail } = readServiceFacts()
  const email = `reset-${newEmail().split('@')[0]}@${mail.domain}`
  const body = { email, password: 'correct horse battery', full_name: 'Ann <b>', brand_name: 'One' }
  const cookie = cookieOf(await get('/api/v1/auth/sign-up', json(body)))
  expect((await get('/api/v1/auth/password-reset', json({ email }))).status).toBe(202)
  const text = await waitFor(() => newestMail(email), 20_000)
  const [, token = ''] = /https:\/\/crewhall\.test\/dashboard\/reset\?token=([\w-]{43})/.exec(text) ?? []
  const confirm = () =>
    get('/api/v1/auth/password-reset/confirm', json({ token, password: 'another horse entirely' }))
  expect((await confirm()).status).toBe(200)
  expect((await confirm()).status).toBe(400)
  expect((await get('/api/v1/me', { headers: { cookie } })).status).toBe(401)
  const old = await get('/api/v1/auth/sign-in', json({ email, password: body.password }))
  expect(old.status).toBe(401)
  expect(
    (await get('/api/v1/auth/sign-in', json({ email, password: 'another horse entirely' }))).status,
  ).toBe(200)
})

async function newestMail(address: string): Promise<string | undefined> {
  const { mail } = readServiceFacts()
  const { host, port } = mail.imap
  const client = new ImapFlow({
    host,
    port,
    secure: false,
    logger: false,
    auth: { user: address, pass: mail.imap_password },
  })
  await client.connect()
  try {
    const lock = await client.getMailboxLock('INBOX')
    try {
      const message = await client.fetchOne('*', { bodyParts: ['1'] })
      // Quoted-printable: lines are broken and equals signs are written as numbers.
      const text = message ? message.bodyParts?.get('1')?.toString() : undefined
      return text?.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    } finally {
      lock.release()
    }
  } finally {
    await client.logout()
  }
}
