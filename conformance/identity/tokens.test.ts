import { json, newToken, signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { expect, test } from 'vitest'

const server = useServer('product')
const get = (path: string, init?: RequestInit) => server.get(path, init)
const { sql } = server
const me = async (token: string) => (await get('/api/v1/me', { headers: bearer(token) })).status
const unauthenticated = { detail: 'Not authenticated' }

test('AUTH-01 a token is taken from Authorization, whatever the case of the word Bearer', async () => {
  const { token } = await newToken(get, await signUp(get), [])
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    const response = await get('/api/v1/me', { headers: { authorization: `${scheme} ${token}` } })
    expect(response.status).toBe(200)
  }
  const lower = await get('/api/v1/me', { headers: bearer(token.toLowerCase()) })
  expect(lower.status).toBe(401)
})

test('AUTH-09 AUTH-G4 no token, a malformed one and an unknown one get one answer that names the scheme', async () => {
  const owner = await signUp(get)
  const path = `/api/v1/brands/${owner.brand_id}/tokens`
  const unknown = `chp_${'0'.repeat(34)}AB`
  for (const init of [
    {},
    { headers: bearer('chp_short') },
    { headers: bearer(unknown) },
    { headers: { authorization: 'Basic eDp5' } },
  ]) {
    const response = await get(path, init)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toEqual(unauthenticated)
  }
})

test('AUTH-G13 a token is shown once, kept as a digest, and listed without its secret', async () => {
  const owner = await signUp(get)
  const { id, token } = await newToken(get, owner, ['brand:read'])
  expect(token).toMatch(/^chp_[0-9A-Za-z]{36}$/)
  const list = await get(`/api/v1/brands/${owner.brand_id}/tokens`, { headers: { cookie: owner.cookie } })
  const text = await list.text()
  expect(text).toContain(id)
  expect(text).not.toContain(token)
  const [row] = await sql(`select to_jsonb(t)::text as row from identity.tokens t where id = $1`, [id])
  expect(String(row?.row)).not.toContain(token.slice(4, 34))
  expect(server.api.lines.join('\n')).not.toContain(token)
})

test('AUTH-11 a revoked, an expired and a rotated token are refused on the very next request', async () => {
  const owner = await signUp(get)
  const [revoked, expired, rotated] = await Promise.all([1, 2, 3].map(() => newToken(get, owner, [])))
  const path = `/api/v1/brands/${owner.brand_id}/tokens`
  for (const { token } of [revoked, expired, rotated] as { token: string }[]) {
    expect((await get(path, { headers: bearer(token) })).status).toBe(200)
  }
  await get(`${path}/${revoked?.id}`, { method: 'DELETE', headers: { cookie: owner.cookie } })
  await sql(`update identity.tokens set expires_at = now() where id = $1`, [expired?.id])
  const fresh = await get(`${path}/${rotated?.id}/rotate`, json({}, { cookie: owner.cookie }))
  expect(fresh.status).toBe(200)
  const { token } = (await fresh.json()) as { token: string }
  for (const dead of [revoked, expired, rotated]) {
    const response = await get(path, { headers: bearer(dead?.token ?? '') })
    expect([response.status, await response.json()]).toEqual([401, unauthenticated])
  }
  expect((await get(path, { headers: bearer(token) })).status).toBe(200)
})

test('AUTH-G15 the token of somebody who was removed from the workspace is refused on the next request', async () => {
  const owner = await signUp(get)
  const { token } = await newToken(get, owner, [])
  expect(await me(token)).toBe(200)
  const path = `/api/v1/brands/${owner.brand_id}/tokens`
  expect((await get(path, { headers: bearer(token) })).status).toBe(200)
  await sql(`update identity.memberships set status = 'removed' where brand_id = $1`, [owner.brand_id])
  expect((await get(path, { headers: bearer(token) })).status).toBe(401)
  expect(await me(token)).toBe(401)
})

test('AUTH-04 AUTH-25 AUTH-G8 another workspace, a missing one and nonsense are one 404', async () => {
  const [mine, other] = [await signUp(get), await signUp(get)]
  const { token } = await newToken(get, mine, [])
  const answers = await Promise.all(
    [other.brand_id, 999_999_999, 'abc', `0${mine.brand_id}`, '1e3'].map(async (id) => {
      const response = await get(`/api/v1/brands/${id}/tokens`, { headers: bearer(token) })
      return [response.status, await response.text()]
    }),
  )
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]).toEqual([404, '{"detail":"Brand not found"}'])
})

test('AUTH-03 a workspace is a brand, and its id a whole number', async () => {
  const owner = await signUp(get)
  expect(Number.isInteger(owner.brand_id)).toBe(true)
})

test('AUTH-26 AUTH-27 brand:read can be given at once, brand:admin only after the policy was widened', async () => {
  const owner = await signUp(get)
  await newToken(get, owner, ['brand:read'])
  const path = `/api/v1/brands/${owner.brand_id}/tokens`
  const order = json({ name: 'mighty', scopes: ['brand:admin'] }, { cookie: owner.cookie })
  const refused = await get(path, order)
  expect(refused.status).toBe(403)
  expect(await refused.json()).toEqual({ detail: 'The workspace policy does not allow scope brand:admin' })
  await sql(`update identity.brands set scope_ceiling = scope_ceiling || '{brand:admin}' where id = $1`, [
    owner.brand_id,
  ])
  expect((await get(path, order)).status).toBe(201)
})

test('a token cannot make a mightier one', async () => {
  const owner = await signUp(get)
  const { token } = await newToken(get, owner, ['brand:read'])
  const order = json({ name: 'more', scopes: ['memory:read'] }, { authorization: `Bearer ${token}` })
  const response = await get(`/api/v1/brands/${owner.brand_id}/tokens`, order)
  expect(response.status).toBe(403)
  expect(await response.json()).toEqual({
    detail: 'Token lacks scope memory:read; the workspace policy allows it',
  })
})

test('a token lives at most 366 days', async () => {
  const owner = await signUp(get)
  const path = `/api/v1/brands/${owner.brand_id}/tokens`
  const order = (expires_in_days: number) =>
    json({ name: 'long', scopes: [], expires_in_days }, { cookie: owner.cookie })
  expect((await get(path, order(366))).status).toBe(201)
  expect((await get(path, order(367))).status).toBe(422)
})
