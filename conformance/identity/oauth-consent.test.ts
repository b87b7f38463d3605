import { json, signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'
import { backAt, callback, codeIn, oauthVerbs } from './oauth-verbs.ts'

const origin = 'http://crewhall.test:8400'
const server = useServer('product', { PUBLIC_URL: origin, HTTP_TRUST_PROXY: '127.0.0.1' })
const world = new World(server)
const { register, start, newPerson, page, form, formTokenIn, decide, redeem } = oauthVerbs(server.get, world)

const authorize = (query: Record<string, string>) => `/oauth/authorize?${new URLSearchParams(query)}`
const connections = async (): Promise<number> => {
  const [row] = await world.sql<{ count: number }>(
    'select count(*)::int as count from identity.oauth_connections',
  )
  return row?.count ?? 0
}

test('the page runs nothing, fetches nothing, cannot be framed and sends its form nowhere else', async () => {
  const who = await newPerson()
  const { query } = await start()
  for (const cookie of [undefined, who.cookie]) {
    const response = await page(query, cookie)
    const html = await response.text()
    const { headers } = response
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' http:\/\/127\.0\.0\.1:7777$/,
    )
    expect([
      headers.get('x-frame-options'),
      headers.get('cache-control'),
      headers.get('referrer-policy'),
    ]).toEqual(['DENY', 'no-store', 'same-origin'])
    expect(html).not.toMatch(/<script|<img|<iframe|<link|\son[a-z]+=|javascript:|style="/i)
  }
})

test('the page says who asks, that nobody has verified it, where access goes, what it is, and for which workspace', async () => {
  const who = await newPerson()
  const second = await world.join(await world.newBrand(), 'member', who.person_id)
  const { query } = await start({ scope: 'brand:read memory:write' })
  const html = await (await page(query, who.cookie)).text()
  for (const part of [
    'Test app',
    'nobody has verified it',
    'a program on this computer (127.0.0.1:7777)',
    'Read settings, members and usage of the workspace',
    'Write and delete memories of agents',
    `value="${who.brand_id}" required checked`,
    `value="${second.brand_id}" required>`,
  ])
    expect(html).toContain(part)
  expect(html).not.toContain('memory:read')
})

test('a form that another page, session or question made connects nothing', async () => {
  const [victim, attacker] = [await newPerson(), await newPerson()]
  const { query, client_id } = await start()
  const other = await start({ scope: 'brand:read' }, client_id)
  const token = async (of: Record<string, string>, cookie: string) =>
    formTokenIn(await (await page(of, cookie)).text())
  const before = await connections()
  const send = (form_token: string, headers: Record<string, string> = {}) =>
    form(
      authorize(query),
      { action: 'decide', decision: 'allow', brand_id: String(victim.brand_id), form_token },
      { cookie: victim.cookie, ...headers },
    )
  const good = await token(query, victim.cookie)
  for (const forged of [
    '',
    'x',
    await token(query, attacker.cookie),
    await token(other.query, victim.cookie),
  ])
    expect([(await send(forged)).status, await connections()]).toEqual([403, before])
  for (const headers of [
    { origin: 'https://elsewhere.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    expect([(await send(good, headers)).status, await connections()]).toEqual([403, before])
  // Another's workspace is as unknown as none.
  for (const brand_id of [String(attacker.brand_id), '0', '1e3', 'x', '99999999999', ''])
    expect(
      (await decide({ client_id, redirect_uri: callback, verifier: '', query }, victim, { brand_id })).status,
    ).toBe(404)
  const sent = await send(good, { origin, 'sec-fetch-site': 'same-origin' })
  expect([sent.status, codeIn(sent).length, await connections()]).toEqual([303, 43, before + 1])
})

test('signing in on the page is limited as everywhere, and not possible from another site', async () => {
  const owner = await signUp(server.get)
  const { query } = await start()
  const signIn = (password: string, headers: Record<string, string> = {}) =>
    form(authorize(query), { action: 'sign_in', email: owner.email, password }, headers)
  const there = { 'x-forwarded-for': '198.51.100.9' }
  expect((await signIn(owner.password, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  const statuses = []
  for (let n = 0; n < 12; n += 1) statuses.push((await signIn('a wrong guess', there)).status)
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
  const right = await signIn(owner.password, { origin, 'sec-fetch-site': 'same-origin' })
  expect([right.status, right.headers.get('location')]).toEqual([303, authorize(query)])
  expect(right.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/)
})

/** Each would lead somewhere else, run something, or be read in two ways. */
const hostileRedirects = [
  'javascript:alert(1)',
  'javascript://a.example/%0Aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file://a.example/x',
  'about:blank',
  'blob:https://a.example/1',
  'ftp://a.example/',
  'ws://a.example/',
  'myeditor://callback',
  'http://a.example/callback',
  'http://127.0.0.2/callback',
  'http://127.0.0.1.a.example/callback',
  'http://localhost.a.example/callback',
  'http://127.0.0.1@a.example/callback',
  'http://2130706433/callback',
  'http://0x7f.1/callback',
  'http://127.1/callback',
  'http://[::ffff:127.0.0.1]/callback',
  'http://0.0.0.0/callback',
  'https://user:password@a.example/',
  'https://user@a.example/',
  'https://a.example/#fragment',
  'https://a.example/#',
  'https://*.example/',
  "https://a.example;script-src 'unsafe-inline'/",
  "https://a';b.example/",
  'https://a.example,b.example/',
  'https://a.example/\r\nset-cookie: x=1',
  'https://a.example/ b',
  ' https://a.example/',
  'https://a.example/"><script>',
  'https:\\\\a.example/',
  'https:/a.example/',
  'https://a.example/../b',
  'https://A.example/',
  'https://a.example:443/',
  'https://ä.example/',
  '//a.example/callback',
  '/callback',
  'https://',
  '',
  `https://a.example/${'a'.repeat(500)}`,
  'https://a.example/\0',
]

test(`no app registers one of ${hostileRedirects.length} hostile addresses, alone or beside a good one`, async () => {
  const refused = { status: 400, body: { error: 'invalid_redirect_uri' } }
  for (const uri of hostileRedirects) {
    expect([uri, await register([uri])]).toMatchObject([uri, refused])
    expect([uri, await register([callback, uri])]).toMatchObject([uri, refused])
  }
  for (const uris of [[], 'https://a.example/', [1], [null], [{}], Array(6).fill(callback)])
    expect(await register(uris as unknown[])).toMatchObject(refused)
})

test('a question with another address than a registered one is refused on the page, and goes nowhere', async () => {
  const who = await newPerson()
  const { body } = await register([callback, 'https://a.example/cb?x=1', 'com.example.app:/cb'])
  const { client_id } = body
  const asked = async (redirect_uri: string) => {
    const response = await page((await start({ redirect_uri }, client_id)).query, who.cookie)
    return [response.status, response.headers.get('location')]
  }
  for (const uri of [
    ...hostileRedirects,
    'https://a.example/cb',
    'https://a.example/cb?x=1&y=2',
    'https://a.example/cb?x=1/',
    'https://a.example:8443/cb?x=1',
    'http://a.example/cb?x=1',
    'http://127.0.0.1:7777/other',
    'http://localhost:7777/callback',
    'http://127.0.0.1:7777/callback?more',
    'com.example.app:/other',
  ])
    expect([uri, ...(await asked(uri))]).toEqual([uri, 400, null])
  // A program on the machine of the person takes the port that is free.
  for (const uri of [
    callback,
    'http://127.0.0.1:50123/callback',
    'http://127.0.0.1/callback',
    'https://a.example/cb?x=1',
    'com.example.app:/cb',
  ])
    expect([uri, ...(await asked(uri))]).toEqual([uri, 200, null])
  for (const id of ['', 'x', '00000000-0000-0000-0000-000000000000'])
    expect((await page((await start({}, id)).query, who.cookie)).status).toBe(400)
  const started = await start({ redirect_uri: 'https://a.example/cb?x=1' }, client_id)
  const back = backAt(await decide(started, who))
  expect([back.origin, back.pathname, back.searchParams.get('x')]).toEqual(['https://a.example', '/cb', '1'])
  expect((await redeem(started, back.searchParams.get('code') ?? '')).status).toBe(200)
})

test('hostile names are shown as text or refused', async () => {
  const who = await newPerson()
  const refused = [
    '',
    '   ',
    'a\nb',
    'a\0b',
    'a\u202eb',
    'a\u200bb',
    'a\u2066b',
    '\ud800',
    'a'.repeat(101),
    7,
    {},
    null,
  ]
  for (const name of refused)
    expect([name, await register([callback], name)]).toMatchObject([
      name,
      { status: 400, body: { error: 'invalid_client_metadata' } },
    ])
  for (const name of [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'; drop table identity.people; --",
    '</title><h1>Crewhall</h1>',
    '&lt;b&gt;',
    '{{7*7}}',
  ]) {
    const { client_id } = (await register([callback], name)).body
    const started = await start({}, client_id)
    for (const cookie of [undefined, who.cookie]) {
      const html = await (await page(started.query, cookie)).text()
      const shown = name.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
      expect([name, html.includes(shown), html.split('<h1>').length]).toEqual([name, true, 2])
      expect(html).not.toMatch(/<script|<img/)
    }
    expect((await decide(started, who)).status).toBe(303)
  }
})

test('parameters that are there twice, too long or no text are refused, and so are long bodies', async () => {
  const { query } = await start()
  const plain = `${new URLSearchParams(query)}`
  for (const more of ['&state=again', `&more=${'a'.repeat(2001)}`, '&more=%00', `${'&a=&b=1'.repeat(30)}`])
    expect([more.slice(0, 20), (await server.get(`/oauth/authorize?${plain}${more}`)).status]).toEqual([
      more.slice(0, 20),
      400,
    ])
  for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/register', authorize(query)])
    expect([path, (await form(path, { grant_type: 'x'.repeat(20_000) })).status]).toEqual([path, 413])
  for (const body of [
    '[]',
    '"x"',
    'null',
    '{',
    '',
    '{"__proto__":{"redirect_uris":["https://a.example/"]}}',
  ]) {
    const response = await server.get('/oauth/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect([body, Math.floor(response.status / 100)]).toEqual([body, 4])
  }
})

test('a network registers 50 apps an hour, and one that nobody has let in is gone after a day', async () => {
  const from = { 'x-forwarded-for': '198.51.100.77' }
  const statuses = []
  for (let n = 0; n < 52; n += 1) {
    const response = await server.get(
      '/oauth/register',
      json({ redirect_uris: [callback], client_name: 'Many' }, from),
    )
    statuses.push(response.status)
    await response.text()
  }
  expect(statuses).toEqual([...Array(50).fill(201), 429, 429])
  const used = await start({}, (await register([callback], 'Used')).body.client_id)
  await decide(used, await newPerson())
  await register([callback], 'Young')
  await world.sql(
    `update identity.oauth_clients set created_at = now() - interval '25 hours' where name in ('Many', 'Used')`,
  )
  const client = await server.connection('superuser')
  await server.start('worker')
  await client.query(`update jobs.schedules set next_at = now() where name = 'platform.sweep'`)
  const names = async () =>
    (
      await world.sql<{ name: string }>(
        `select distinct name from identity.oauth_clients where name in ('Many', 'Used', 'Young') order by 1`,
      )
    ).map(({ name }) => name)
  await waitFor(async () => !(await names()).includes('Many'), 20_000)
  expect(await names()).toEqual(['Used', 'Young'])
})
