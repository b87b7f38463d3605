import { freePort } from '@crewhall/testkit/free-port.ts'
import { signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import {
  discoverOAuthServerInfo,
  exchangeAuthorization,
  refreshAuthorization,
  registerClient,
  startAuthorization,
} from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { backAt, callback, codeIn, oauthVerbs } from './oauth-verbs.ts'

const port = await freePort()
const origin = `http://127.0.0.1:${port}`
const server = useServer('product', { HTTP_PORT: String(port), PUBLIC_URL: origin })
const world = new World(server)
const verbs = oauthVerbs(server.get, world)
const { start, newPerson, decide, redeem, refresh, use, form, listed, connected } = verbs

test('a client of the protocol finds the server, registers, asks, gets a token, calls and refreshes', async () => {
  const owner = await signUp(server.get)
  const info = await discoverOAuthServerInfo(`${origin}/mcp`)
  expect(info.resourceMetadata?.resource).toBe(`${origin}/mcp`)
  const metadata = info.authorizationServerMetadata
  expect(metadata?.issuer).toBe(origin)
  if (!metadata) throw new Error('there is no metadata')
  const redirectUrl = 'http://localhost:8123/callback'
  const clientInformation = await registerClient(origin, {
    metadata,
    clientMetadata: {
      redirect_uris: [redirectUrl],
      client_name: 'A client',
      token_endpoint_auth_method: 'none',
    },
  })
  const resource = new URL(`${origin}/mcp`)
  const asked = await startAuthorization(origin, {
    metadata,
    clientInformation,
    redirectUrl,
    scope: 'brand:read memory:read',
    state: 'xyz',
    resource,
  })
  // The person is not signed in yet.
  const path = asked.authorizationUrl.href.slice(origin.length)
  const first = await server.get(path)
  expect(await first.text()).toContain('type="password"')
  const signedIn = await form(path, { action: 'sign_in', email: owner.email, password: owner.password })
  expect(signedIn.status).toBe(303)
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const location = signedIn.headers.get('location') ?? ''
  const html = await (await server.get(location, { headers: { cookie } })).text()
  const decided = await form(
    location,
    {
      action: 'decide',
      decision: 'allow',
      brand_id: String(owner.brand_id),
      form_token: verbs.formTokenIn(html),
    },
    { cookie },
  )
  const back = backAt(decided)
  expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([redirectUrl, 'xyz'])
  const tokens = await exchangeAuthorization(origin, {
    metadata,
    clientInformation,
    authorizationCode: back.searchParams.get('code') ?? '',
    iss: back.searchParams.get('iss') ?? '',
    codeVerifier: asked.codeVerifier,
    redirectUri: redirectUrl,
    resource,
  })
  expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'brand:read memory:read' })
  expect(tokens.expires_in).toBeGreaterThan(86_000)
  expect(tokens.expires_in).toBeLessThanOrEqual(86_400)
  expect(await use(tokens.access_token)).toBe(200)
  expect(await listed({ ...owner, cookie })).toMatchObject([
    {
      name: 'App: A client',
      scopes: ['brand:read', 'memory:read'],
      last_four: tokens.access_token.slice(-4),
      agent: 'A client',
      agent_id: null,
    },
  ])
  const renewed = await refreshAuthorization(origin, {
    metadata,
    clientInformation,
    refreshToken: tokens.refresh_token ?? '',
    resource,
  })
  expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
  expect(await use(renewed.access_token)).toBe(200)
})

test('metadata describes each address of the tools, and says nothing of which agents there are', async () => {
  const at = async (path: string) => {
    const response = await server.get(`/.well-known/oauth-protected-resource${path}`)
    return [response.status, ((await response.json()) as { resource?: string }).resource]
  }
  for (const path of ['', '/mcp', '/mcp/readonly', '/mcp/agents/nobody'])
    expect(await at(path)).toEqual([200, `${origin}${path}`])
  expect((await at('/mcp/agents/a%20b'))[0]).toBe(404)
  const response = await server.get('/.well-known/oauth-authorization-server')
  expect(await response.json()).toMatchObject({
    issuer: origin,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  })
})

test('a tool call without a good token is told where to get one, and with that one it works', async () => {
  const call = (path: string, token?: string) =>
    server.get(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    })
  for (const path of ['/mcp', '/mcp/readonly', '/mcp/agents/nobody']) {
    for (const token of [undefined, 'chp_wrong']) {
      const response = await call(path, token)
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource${path}"`,
      ])
    }
  }
  expect((await call('/mcp/agents/a%22%0d%0ax')).headers.get('www-authenticate')).toBe('Bearer')
  const { tokens } = await connected()
  const listing = await call('/mcp', tokens.access_token)
  expect([listing.status, listing.headers.get('www-authenticate')]).toEqual([200, null])
  expect(((await listing.json()) as { result: { tools: unknown[] } }).result.tools.length).toBeGreaterThan(5)
})

test('a code is redeemed with its verifier, redirect, client and resource, and with nothing else', async () => {
  const who = await newPerson()
  const started = await start({ resource: `${origin}/mcp` })
  const code = codeIn(await decide(started, who))
  const other = await start()
  const wrong: [string, Record<string, string>, string][] = [
    ['verifier', { code_verifier: other.verifier }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
    ['a challenge as verifier', { code_verifier: started.query.code_challenge ?? '' }, 'invalid_grant'],
    ['redirect', { redirect_uri: `${callback}/more` }, 'invalid_grant'],
    ['port', { redirect_uri: 'http://127.0.0.1:7778/callback' }, 'invalid_grant'],
    ['client', { client_id: other.client_id }, 'invalid_grant'],
    ['no client', { client_id: '' }, 'invalid_request'],
    ['resource', { resource: `${origin}/mcp/readonly` }, 'invalid_target'],
    ['foreign resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['code', { code: other.verifier }, 'invalid_grant'],
    ['kind', { grant_type: 'refresh_token', refresh_token: code }, 'invalid_grant'],
    ['grant', { grant_type: 'password' }, 'unsupported_grant_type'],
  ]
  for (const [what, more, error] of wrong)
    expect([what, await redeem(started, code, more)]).toMatchObject([what, { status: 400, body: { error } }])
  expect((await redeem(started, code)).status).toBe(200)
})

test('a code that comes twice loses what the first one got', async () => {
  const who = await newPerson()
  const started = await start()
  const code = codeIn(await decide(started, who))
  const { body } = await redeem(started, code)
  expect(await use(body.access_token)).toBe(200)
  expect(await redeem(started, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await use(body.access_token)).toBe(401)
  expect((await refresh(started, body.refresh_token)).status).toBe(400)
  expect(await listed(who)).toEqual([])
})

test('a scope above the ceiling of the workspace is refused, and one below the rights of the person is kept', async () => {
  const who = await newPerson(['brand:read'])
  const mighty = await start({ scope: 'brand:read memory:write' })
  const refused = await decide(mighty, who)
  expect([refused.status, refused.headers.get('location')]).toEqual([403, null])
  expect(await refused.text()).toContain('The workspace policy does not allow scope memory:write')
  expect(await listed(who)).toEqual([])
  // What is left to us is what the workspace allows.
  const modest = await start()
  expect((await redeem(modest, codeIn(await decide(modest, who)))).body.scope).toBe('brand:read')
  const { started, tokens } = await connected({ scope: 'memory:read' })
  expect(await refresh(started, tokens.refresh_token, { scope: 'memory:read brand:read' })).toMatchObject({
    status: 400,
    body: { error: 'invalid_scope' },
  })
})

test('what is wrong with a question is told to the program, with state and issuer', async () => {
  const who = await newPerson()
  const wrong: [Record<string, string>, string][] = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ scope: 'everything' }, 'invalid_scope'],
    [{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    [{ resource: `${origin}/api/v1` }, 'invalid_target'],
    [{ resource: `${origin}.elsewhere.example/mcp` }, 'invalid_target'],
    [{ resource: `http://127.0.0.1:${port}@elsewhere.example/mcp` }, 'invalid_target'],
    [{ resource: `${origin}/mcp#part` }, 'invalid_target'],
  ]
  const { client_id } = await start()
  for (const [more, error] of wrong) {
    const { query } = await start(more, client_id)
    const { searchParams } = backAt(await verbs.page(query, who.cookie))
    expect([more, searchParams.get('error')]).toEqual([more, error])
    expect([searchParams.get('state'), searchParams.get('iss')]).toEqual(['a state & more', origin])
  }
  const denied = backAt(await decide(await start(), who, { decision: 'deny' }))
  expect(denied.searchParams.get('error')).toBe('access_denied')
})

test('nothing that could be used stands in the tables or in the log', async () => {
  const who = await newPerson()
  const started = await start()
  const code = codeIn(await decide(started, who))
  const { body } = await redeem(started, code)
  const rows = await world.sql<{ text: string }>(
    `select row_to_json(t)::text as text from identity.tokens t union all
     select row_to_json(s)::text from identity.oauth_secrets s union all
     select row_to_json(c)::text from identity.oauth_connections c union all
     select row_to_json(a)::text from platform.audit_entries a`,
  )
  const kept = [...rows.map(({ text }) => text), ...server.api.lines].join('\n')
  for (const secret of [code, body.access_token, body.refresh_token, started.verifier])
    expect(kept.includes(secret)).toBe(false)
  expect(kept).toContain('App: Test app')
})

test('codes live for a minute, access for a day, and a used refresh token for half an hour', async () => {
  const clock = createVirtualClock(server.database.name)
  const own = await server.start('api', { ...clock.env, HTTP_PORT: '0' })
  const later = oauthVerbs((path, init) => fetch(`${own.url}${path}`, init), world)
  const usedThere = async (token: string) =>
    (await fetch(`${own.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status
  const minutes = 60_000
  try {
    const who = await later.newPerson()
    const [late, timely] = [await later.start(), await later.start()]
    const lateCode = codeIn(await later.decide(late, who))
    const timelyCode = codeIn(await later.decide(timely, who))
    await clock.advance(50_000)
    const { body: first } = await later.redeem(timely, timelyCode)
    await clock.advance(11_000)
    expect(await later.redeem(late, lateCode)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    expect(await usedThere(first.access_token)).toBe(200)
    await clock.advance(24 * 60 * minutes)
    expect(await usedThere(first.access_token)).toBe(401)

    // Processes that refresh beside each other all go on.
    const { body: second } = await later.refresh(timely, first.refresh_token)
    await clock.advance(29 * minutes)
    const { status, body: third } = await later.refresh(timely, first.refresh_token)
    expect(status).toBe(200)
    expect((await later.refresh(timely, second.refresh_token)).status).toBe(200)
    expect(await usedThere(second.access_token)).toBe(200)
    // The first use counts: coming again has not begun the half hour anew.
    await clock.advance(2 * minutes)
    expect((await later.refresh(timely, first.refresh_token)).status).toBe(400)
    expect(await usedThere(third.access_token)).toBe(401)
    expect((await later.refresh(timely, third.refresh_token)).status).toBe(400)

    const idle = await later.start()
    const { body: left } = await later.redeem(idle, codeIn(await later.decide(idle, who)))
    await clock.advance(91 * 24 * 60 * minutes)
    expect((await later.refresh(idle, left.refresh_token)).status).toBe(400)
  } finally {
    clock.close()
  }
})
