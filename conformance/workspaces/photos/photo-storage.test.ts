import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { photoPath, usePhotos } from './photo-workspace.ts'

const { s3 } = readServiceFacts()
const server = useSharedServer('product')
const photos = usePhotos(server)
const picture = () => png({ width: 30, height: 20, fill: [200, 100, 50] })
let line: FaultProxy
/** Reaches its storage through a line that can be broken. */
let far: ServerProcess
/** Has no storage. */
let bare: ServerProcess

beforeAll(async () => {
  line = await startFaultProxy(s3)
  const endpoint = line.through(s3.endpoint)
  ;[far, bare] = await Promise.all([
    server.start('api', { S3_ENDPOINT: endpoint, S3_TIMEOUT_MS: '1000' }),
    server.start('api', { S3_ENDPOINT: '' }),
  ])
})
afterEach(() => line.set({ kind: 'none' }))
afterAll(() => line?.close())

const get = async (url: string, path: string, token: string) => {
  const response = await fetch(`${url}${path}`, { headers: bearer(token) })
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, body: isJson ? await response.json() : await response.bytes() }
}

describe('without a storage', () => {
  const absent = { status: 503, body: { detail: 'Image storage not configured' } }

  test('MBR-16: an upload answers 503', async () => {
    const by = await photos.newAdmin()
    expect(await photos.upload({ by, bytes: picture(), url: bare.url })).toEqual(absent)
    expect(await photos.named(by.brand_id)).toEqual([])
  })

  test.each([
    ['wrong type', Buffer.from('words'), 'File must be PNG, JPG or GIF'],
    ['picture that does not decode', picture().subarray(0, 60), 'File must be PNG, JPG or GIF'],
    ['file that is too large', Buffer.alloc(5_242_881), 'File too large (max 5MB)'],
  ])('MBR-G8: a %s is told first', async (_, bytes, detail) => {
    const by = await photos.newAdmin()
    expect(await photos.upload({ by, bytes, url: bare.url })).toEqual({ status: 400, body: { detail } })
  })

  test('a picture cannot be shown, which is 503, and no picture is 404', async () => {
    const by = await photos.newAdmin()
    const path = photoPath(by)
    expect((await get(bare.url, path, by.token)).status).toBe(404)
    await photos.upload({ by, bytes: picture() })
    expect(await get(bare.url, path, by.token)).toEqual(absent)
  })

  test('a picture can be removed', async () => {
    const by = await photos.newAdmin()
    await photos.upload({ by, bytes: picture() })
    const response = await fetch(`${bare.url}${photoPath(by)}`, {
      headers: bearer(by.token),
      method: 'DELETE',
    })
    expect([response.status, await response.json()]).toEqual([200, { photo: null }])
  })
})

describe.each(['drop', 'half_open'] as const)('while the line to the storage has %s', (kind) => {
  const away = { status: 502, body: { detail: 'Image storage is unavailable' } }

  test('an upload answers 502, changes nothing, and works again afterwards', async () => {
    const by = await photos.newAdmin()
    await photos.upload({ by, bytes: picture() })
    const before = await photos.named(by.brand_id)
    line.set({ kind })
    expect(await photos.upload({ by, bytes: png({ width: 9, height: 9 }), url: far.url })).toEqual(away)
    expect(await photos.named(by.brand_id)).toEqual(before)
    line.set({ kind: 'none' })
    await waitFor(
      async () => (await photos.upload({ by, bytes: picture(), url: far.url })).status === 200,
      20_000,
    )
  })

  test('a picture answers 502, not 404, and is shown again afterwards', async () => {
    const by = await photos.newAdmin()
    await photos.upload({ by, bytes: picture() })
    line.set({ kind })
    expect(await get(far.url, photoPath(by), by.token)).toEqual(away)
    line.set({ kind: 'none' })
    await waitFor(async () => (await get(far.url, photoPath(by), by.token)).status === 200, 20_000)
  })

  test('the file is judged first', async () => {
    const by = await photos.newAdmin()
    line.set({ kind })
    expect((await photos.upload({ by, bytes: Buffer.from('words'), url: far.url })).status).toBe(400)
  })
})
