import { startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { signUp } from '@crewhall/testkit/people.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { ApiError, createClient } from './client.ts'

const server = useSharedServer('product')
const client = (headers: Record<string, string> = {}, prefix = '') =>
  createClient({ base_url: `${server.api.url}${prefix}`, headers })

test('a call answers with status, body and headers', async () => {
  const { status, body, headers } = await client().system.getHealth()
  expect([status, body.status, body.services]).toEqual([
    200,
    'healthy',
    { database: 'connected', redis: 'connected' },
  ])
  expect(headers.get('content-type')).toMatch(/^application\/json/)
})

test('a slash at the end of the base address makes no difference', async () => {
  expect((await client({}, '/').system.getInfo()).body.name).toBe('crewhall')
})

test('an answer the contract does not list is an ApiError with detail and request id', async () => {
  const call = client({ 'x-request-id': 'client-test-0001' }, '/nowhere').system.getInfo()
  const error = await call.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    status: 404,
    detail: 'Not found',
    request_id: 'client-test-0001',
    message: '404: Not found',
  })
})

test('the request id the server made is told when the caller sent none', async () => {
  const error = await client({}, '/nowhere')
    .system.getInfo()
    .catch((caught: ApiError) => caught)
  expect((error as ApiError).request_id).toMatch(/^[0-9a-f-]{36}$/)
})

test('a file goes up as a form, and comes back as bytes with their media type', async () => {
  const { cookie, brand_id, person_id } = await signUp(server.get)
  const { workspaces } = client({ cookie })
  const params = { brand_id: String(brand_id), user_id: String(person_id) }
  const file = new Blob([Uint8Array.from(png({ width: 3, height: 2 }))])
  const { body } = await workspaces.changePhoto({ params, file })
  expect(body.photo).toContain(`/members/${person_id}/photo?v=`)
  const picture = await workspaces.getPhoto({ params, query: {} })
  expect(picture.headers.get('content-type')).toBe('image/jpeg')
  expect(Buffer.from(picture.body).subarray(0, 3).toString('hex')).toBe('ffd8ff')
})

test('a refusal of an answer of bytes is an ApiError with its detail', async () => {
  const { cookie, brand_id, person_id } = await signUp(server.get)
  const params = { brand_id: String(brand_id), user_id: String(person_id) }
  await expect(client({ cookie }).workspaces.getPhoto({ params, query: {} })).rejects.toMatchObject({
    status: 404,
    detail: 'Photo not found',
  })
})

test('a 503 the contract lists is an answer and not an error', async () => {
  const { hostname, port } = new URL(server.database.url)
  const line = await startFaultProxy({ host: hostname, port: Number(port) })
  try {
    const api = await server.start('api', { DATABASE_URL: line.through(server.database.url) })
    line.set({ kind: 'drop' })
    const { system } = createClient({ base_url: api.url })
    const degraded = await waitFor(async () => {
      const answer = await system.getHealth()
      return answer.status === 503 && answer
    }, 20_000)
    expect(degraded.body).toMatchObject({ status: 'degraded', services: { database: 'disconnected' } })
  } finally {
    await line.close()
  }
})
