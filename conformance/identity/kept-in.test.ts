import { newToken, signUp } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'

const server = useSharedServer('product')
const at = new World(server)
const get = (path: string, init?: RequestInit) => server.get(path, init)

test('K23 junk tokens from an address do not lock out whoever was let in behind it', async () => {
  const owner = await signUp(get)
  const { token } = await newToken(get, owner, [])
  const api = await server.start('api', {
    HTTP_RATE_LIMIT_PER_MINUTE: '30',
    HTTP_RATE_LIMIT_PER_CREDENTIAL: '10',
  })
  const ask = async (secret: string) => {
    const headers = { authorization: `Bearer ${secret}` }
    return (await fetch(`${api.url}/api/v1/board/boards`, { headers })).status
  }
  expect(await ask(token)).toBe(200)
  const junk: number[] = []
  for (let n = 0; n < 40; n += 1) junk.push(await ask('chp_nobody'))
  expect(junk.slice(-10)).toEqual(Array(10).fill(429))
  // The limit of the token itself holds.
  const own: number[] = []
  for (let n = 0; n < 12; n += 1) own.push(await ask(token))
  expect(own).toEqual([...Array(9).fill(200), ...Array(3).fill(429)])
})

test('K23 somebody who is signed in and has no workspace is told what is missing, and stays signed in', async () => {
  const brand = await at.newBrand()
  const member = await at.join(brand, 'member')
  const cookie = await at.newCookie(member.person_id, brand)
  await at.sql(
    `update identity.memberships set status = 'removed', removed_at = now() where person_id = $1`,
    [member.person_id],
  )
  const response = await get('/api/v1/board/boards', { headers: { cookie } })
  expect([response.status, await response.json()]).toEqual([
    403,
    { detail: 'This session has no workspace; accept an invitation or switch to a workspace first' },
  ])
  expect(response.headers.get('www-authenticate')).toBeNull()
  expect((await get('/api/v1/me', { headers: { cookie } })).status).toBe(200)
})

test('K23 AUTH-G1 the scheme of an Origin counts', async () => {
  const { origin: own, protocol, host } = new URL(server.api.url)
  const owner = await signUp(get)
  const order = async (origin: string) => {
    const headers = { 'content-type': 'application/json', cookie: owner.cookie, origin }
    const body = JSON.stringify({ name: 'from a page', scopes: [] })
    const path = `/api/v1/brands/${owner.brand_id}/tokens`
    return (await get(path, { method: 'POST', headers, body })).status
  }
  expect(await order(own)).toBe(201)
  expect(await order(`${protocol === 'https:' ? 'http' : 'https'}://${host}`)).toBe(403)
})
