import { freePort } from '@crewhall/testkit/free-port.ts'
import { json, signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'
import { codeIn, type ListedToken, oauthVerbs } from './oauth-verbs.ts'

const port = await freePort()
const origin = `http://127.0.0.1:${port}`
const server = useServer('product', { HTTP_PORT: String(port), PUBLIC_URL: origin })
const world = new World(server)
const verbs = oauthVerbs(server.get, world)
const { start, decide, redeem, refresh, use, form, listed, connected } = verbs

test('an app is revoked in the list of tokens, by itself, and by either of its tokens', async () => {
  const byList = await connected()
  const [entry] = await listed(byList.who)
  const path = `/api/v1/brands/${byList.who.brand_id}/tokens`
  expect(await world.call(byList.who, 'POST', `${path}/${entry?.id}/rotate`)).toMatchObject({ status: 409 })
  await world.made(byList.who, 'DELETE', `${path}/${entry?.id}`)

  const byItself = await connected()
  const token = byItself.tokens.access_token
  const mine = `/api/v1/brands/${byItself.who.brand_id}/tokens`
  const { tokens: own } = await world.made<{ tokens: ListedToken[] }>({ token }, 'GET', mine)
  expect(own).toHaveLength(1)
  await world.made({ token }, 'DELETE', `${mine}/${own[0]?.id}`)

  const byRefresh = await connected()
  const byAccess = await connected()
  const other = await start()
  const revoke = async (client_id: string, token: string) =>
    (await form('/oauth/revoke', { client_id, token })).status
  expect(await revoke(other.client_id, byRefresh.tokens.refresh_token)).toBe(400)
  expect(await use(byRefresh.tokens.access_token)).toBe(200)
  expect(await revoke(byRefresh.started.client_id, byRefresh.tokens.refresh_token)).toBe(200)
  expect(await revoke(byAccess.started.client_id, byAccess.tokens.access_token)).toBe(200)
  expect(await revoke(byAccess.started.client_id, 'unknown')).toBe(200)

  for (const { started, tokens, who } of [byList, byItself, byRefresh, byAccess]) {
    expect(await use(tokens.access_token)).toBe(401)
    expect((await refresh(started, tokens.refresh_token)).status).toBe(400)
    expect(await listed(who)).toEqual([])
  }
})

test('what an access token has issued ends with the app, also after it was replaced', async () => {
  const { who, started, tokens } = await connected()
  const path = `/api/v1/brands/${who.brand_id}/tokens`
  const made = await world.made<{ token: string }>({ token: tokens.access_token }, 'POST', path, {
    name: 'made by an app',
    scopes: [],
  })
  for (let round = 0; round < 6; round += 1) await refresh(started, tokens.refresh_token)
  expect(await use(tokens.access_token)).toBe(401)
  expect(await use(made.token)).toBe(200)
  const app = (await listed(who)).find(({ name }) => name.startsWith('App: '))
  await world.made(who, 'DELETE', `${path}/${app?.id}`)
  expect(await use(made.token)).toBe(401)
})

test('the app of somebody who leaves ends, and that of an agent speaks for it until it retires', async () => {
  const { who, started, tokens } = await connected()
  await world.join(who.brand_id, 'admin')
  const leaver = await world.join(who.brand_id, 'member')
  const member = { ...leaver, cookie: await world.newCookie(leaver.person_id, who.brand_id) }
  const theirs = await start()
  const { body } = await redeem(theirs, codeIn(await decide(theirs, member)))
  const admin = { token: await world.newToken(who, ['brand:read', 'brand:admin']) }
  await world.made(admin, 'DELETE', `/api/v1/brands/${who.brand_id}/members/${leaver.person_id}`)
  expect(await use(body.access_token)).toBe(401)
  expect((await refresh(theirs, body.refresh_token)).status).toBe(400)
  expect((await refresh(started, tokens.refresh_token)).status).toBe(200)

  await world.made(who, 'POST', '/api/v1/agents', { agent_id: 'build-bot', name: 'Build bot' })
  const unknown = await start({ resource: `${origin}/mcp/agents/nobody` })
  expect((await decide(unknown, who)).status).toBe(403)
  const asAgent = await start({ resource: `${origin}/mcp/agents/build-bot` })
  const agent = (await redeem(asAgent, codeIn(await decide(asAgent, who)))).body
  const [row] = await world.sql<{ kinds: string[] }>(
    `select array_agg(kind order by kind) as kinds from identity.tokens where brand_id = $1 and agent_id = 'build-bot'`,
    [who.brand_id],
  )
  expect(row?.kinds).toEqual(['access', 'connection'])
  await world.made(who, 'POST', '/api/v1/agents/build-bot/retire')
  expect(await use(agent.access_token)).toBe(401)
  expect((await refresh(asAgent, agent.refresh_token)).status).toBe(400)
})

test('a new password that ends tokens ends apps, also those whose access token has expired', async () => {
  const owner = await signUp(server.get)
  const started = await start()
  const { body } = await redeem(started, codeIn(await decide(started, owner)))
  await world.sql(
    `update identity.tokens set expires_at = now() - interval '1 minute' where brand_id = $1 and kind = 'access'`,
    [owner.brand_id],
  )
  const secret = 'a-link-of-this-test'
  await world.sql(
    `insert into identity.password_resets (token_hash, person_id, expires_at)
     values (encode(sha256($1::bytea), 'hex'), $2, now() + interval '1 hour')`,
    [secret, owner.person_id],
  )
  const confirmed = await server.get(
    '/api/v1/auth/password-reset/confirm',
    json({ token: secret, password: 'another horse entirely', revoke_tokens: true }),
  )
  expect(confirmed.status).toBe(200)
  expect((await refresh(started, body.refresh_token)).status).toBe(400)
})
