import { createStorage, type Storage } from '@crewhall/server/platform/storage/storage.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { formOf } from '@crewhall/testkit/people.ts'
import { gif } from '@crewhall/testkit/pictures/picture-gif.ts'
import { jpeg } from '@crewhall/testkit/pictures/picture-jpeg.ts'
import { exifSegment } from '@crewhall/testkit/pictures/picture-metadata.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stripedPicture, webpPicture } from '../../apps/server/test/made-pictures.ts'
import { pictureFacts } from '../../apps/server/test/picture-facts.ts'
import { DeskWorkspace, nowhere } from './desk-workspace.ts'

const { s3 } = readServiceFacts()
const server = useSharedServer('product')
const picture = () => png({ width: 30, height: 20, fill: [200, 100, 50] })
let at: DeskWorkspace
let storage: Storage
let line: FaultProxy
/** Reaches its storage through a line that can be broken. */
let far: ServerProcess
/** Has no storage. */
let bare: ServerProcess

beforeAll(async () => {
  at = await DeskWorkspace.open(server, 1000)
  storage = createStorage({ ...s3, prefix: `${server.database.name}/`, timeout_ms: 10_000 })
  line = await startFaultProxy(s3)
  ;[far, bare] = await Promise.all([
    server.start('api', { S3_ENDPOINT: line.through(s3.endpoint), S3_TIMEOUT_MS: '1000' }),
    server.start('api', { S3_ENDPOINT: '' }),
  ])
})
afterEach(() => line.set({ kind: 'none' }))
afterAll(async () => {
  line?.close()
  for (const { key } of await storage.list(outside, `desk-photos/${at.brand_id}/`))
    await storage.remove(outside, key)
  storage.close()
})

const newDesk = async () => (await at.ordered()).workstation_id
const urlOf = (id: string) => `/api/v1/environments/${id}/image`
const keysOf = async (id: string) =>
  (
    await at.world.sql<{ object_key: string }>(
      'select object_key from fleet.desk_photos where desk_id = $1',
      [id],
    )
  ).map(({ object_key }) => object_key)
const shown = async (id: string) => {
  const response = await at.photo(id)
  return { response, bytes: await response.bytes() }
}
const on = async (process: ServerProcess, id: string, method = 'GET') => {
  const response = await fetch(`${process.url}${urlOf(id)}`, { method, headers: { cookie: at.cookie } })
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, body: isJson ? await response.json() : await response.bytes() }
}
const wrongType = { status: 400, body: { detail: 'File must be PNG, JPG, GIF or WebP' } }
const noPhoto = { status: 404, body: { detail: 'Photo not found' } }
const noDesk = { status: 404, body: { detail: 'Workstation not found' } }

describe('an upload', () => {
  test('ENV-17, ENV-23, ENV-24: answers id and URL, the same after each, and the record has it', async () => {
    const id = await newDesk()
    const answered = { status: 200, body: { env_id: id, image_url: urlOf(id) } }
    expect(await at.upload(id, picture())).toEqual(answered)
    expect(await at.upload(id, png({ width: 9, height: 9 }))).toEqual(answered)
    expect((await at.change(id, {})).body.image_url).toBe(urlOf(id))
  })

  test.each<[string, () => Uint8Array | Promise<Uint8Array>]>([
    ['PNG', () => png({ width: 600, height: 300, fill: [90, 90, 90] })],
    ['JPG', () => jpeg({ width: 300, height: 600, fill: [90, 128, 128] })],
    ['GIF', () => gif({ width: 20, height: 20 })],
    ['WebP', webpPicture],
    ['PNG of one pixel', () => png({ width: 1, height: 1 })],
  ])('ENV-25, ENV-26, ENV-G8, ENV-G9: takes a %s and stores a JPEG of 256 by 256', async (_, make) => {
    const id = await newDesk()
    expect((await at.upload(id, await make())).status).toBe(200)
    const { response, bytes } = await shown(id)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect(await pictureFacts(bytes)).toMatchObject({
      format: 'jpeg',
      width: 256,
      height: 256,
      has_alpha: false,
      metadata: [],
    })
  })

  test('ENV-26: is cut from the middle, put on white where it is transparent, and turned as the camera was held', async () => {
    const id = await newDesk()
    await at.upload(id, await stripedPicture())
    const [, , blue = 0] = (await pictureFacts((await shown(id)).bytes)).first
    expect(blue).toBeGreaterThan(150)
    await at.upload(id, png({ width: 30, height: 30, colour: 'rgba', fill: [0, 0, 0, 0] }))
    expect((await pictureFacts((await shown(id)).bytes)).first).toEqual([255, 255, 255])
    const mark = 'canary-48.8584N-2.2945E'
    await at.upload(id, jpeg({ width: 40, height: 20, fill: [90, 128, 128], before: [exifSegment(6, mark)] }))
    const { bytes } = await shown(id)
    expect(Buffer.from(bytes).includes(mark)).toBe(false)
    expect(await pictureFacts(bytes)).toMatchObject({ width: 256, height: 256, metadata: [] })
  })

  test.each<[string, Uint8Array]>([
    ['words', Buffer.from('words')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['an empty file', new Uint8Array()],
    ['a picture that does not decode', picture().subarray(0, 60)],
  ])('ENV-27, ENV-28, ENV-G8: %s is 400, and the photo before stays', async (_, bytes) => {
    const id = await newDesk()
    await at.upload(id, picture())
    const before = await keysOf(id)
    expect(await at.upload(id, bytes)).toEqual(wrongType)
    expect(await keysOf(id)).toEqual(before)
    expect((await at.photo(id)).status).toBe(200)
  })

  test('ENV-28: more than 5 MB is 400', async () => {
    const id = await newDesk()
    const large = { status: 400, body: { detail: 'File too large (max 5MB)' } }
    expect(await at.upload(id, Buffer.alloc(5_242_881))).toEqual(large)
    const form = formOf('file', jpeg({ width: 14_000, height: 14_000, fill: [9, 9, 9] }), 'bomb.jpg', '')
    const bomb = await at.world.call({ cookie: at.cookie }, 'POST', urlOf(id), form)
    expect(bomb.status).toBe(400)
  })

  test('ENV-29: for a desk of another workspace, or none, is 404', async () => {
    const id = await newDesk()
    const other = await DeskWorkspace.open(server)
    for (const of of [id, nowhere]) expect(await other.upload(of, picture())).toEqual(noDesk)
    expect(await keysOf(id)).toEqual([])
  })

  test('ENV-27: a new photo leaves the object of the old one to a job, and is told', async () => {
    const own = await DeskWorkspace.open(server)
    const { workstation_id: id } = await own.ordered()
    await own.upload(id, picture())
    const [first = ''] = await keysOf(id)
    await own.upload(id, png({ width: 9, height: 9 }))
    const doomed = await own.world.sql<{ key: string }>(
      `select data -> 'payload' ->> 'object_key' as key from pgboss.job where name = 'fleet.drop-photo-object'
       and data -> 'payload' ->> 'object_key' like $1`,
      [`desk-photos/${own.brand_id}/%`],
    )
    expect(doomed).toEqual([{ key: first }])
    expect(await own.audited()).toEqual(['desk.ordered', 'desk.photo_changed', 'desk.photo_changed'])
    expect(await own.events()).toEqual(['desk.ordered', 'desk.changed', 'desk.changed'])
  })
})

describe('a photo', () => {
  test('ENV-31, ENV-G9: comes with the headers that the interface wants, and is not sent twice', async () => {
    const id = await newDesk()
    await at.upload(id, picture())
    const { response } = await shown(id)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'content-type': 'image/jpeg',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline',
    })
    const etag = response.headers.get('etag') ?? ''
    expect((await at.photo(id, { 'if-none-match': etag })).status).toBe(304)
    await at.upload(id, png({ width: 9, height: 9 }))
    expect((await at.photo(id, { 'if-none-match': etag })).status).toBe(200)
  })

  test('ENV-32, ENV-33: is 404 where there is none, where its object is gone, and where there is no desk', async () => {
    const id = await newDesk()
    const read = () => at.call('GET', `/environments/${id}/image`)
    expect(await read()).toEqual(noPhoto)
    await at.upload(id, picture())
    for (const key of await keysOf(id)) await storage.remove(outside, key)
    expect(await read()).toEqual(noPhoto)
    expect(await at.call('GET', `/environments/${nowhere}/image`)).toEqual(noDesk)
  })

  test('ENV-36 to ENV-38: is removed with its pointer, and removing it again does nothing', async () => {
    const own = await DeskWorkspace.open(server)
    const { workstation_id: id } = await own.ordered()
    await own.upload(id, picture())
    const gone = { status: 200, body: { env_id: id, image_url: null } }
    expect(await own.call('DELETE', `/environments/${id}/image`)).toEqual(gone)
    expect(await own.call('DELETE', `/environments/${id}/image`)).toEqual(gone)
    expect((await own.change(id, {})).body.image_url).toBe(null)
    expect(await own.audited()).toEqual(['desk.ordered', 'desk.photo_changed', 'desk.photo_removed'])
  })

  test('ENV-39: of a desk of another workspace, or none, is not removed: 404', async () => {
    const id = await newDesk()
    await at.upload(id, picture())
    const other = await DeskWorkspace.open(server)
    for (const of of [id, nowhere])
      expect(await other.call('DELETE', `/environments/${of}/image`)).toEqual(noDesk)
    expect((await at.photo(id)).status).toBe(200)
  })

  test('AUTH-05, AUTH-13: with a token alone every call is 401', async () => {
    const id = await newDesk()
    const token = await at.world.newToken(at, ['brand:admin', 'brand:read'])
    for (const method of ['GET', 'POST', 'DELETE'])
      expect((await at.call(method, `/environments/${id}/image`, undefined, { token })).status).toBe(401)
  })

  test('DESK-G10: a release takes it along', async () => {
    const id = await newDesk()
    await at.upload(id, picture())
    const [key] = await keysOf(id)
    await at.call('DELETE', `/workstations/${id}`)
    const [doomed] = await at.world.sql(
      `select 1 from pgboss.job where name = 'fleet.drop-photo-object' and data -> 'payload' ->> 'object_key' = $1`,
      [key],
    )
    expect([await keysOf(id), doomed !== undefined]).toEqual([[], true])
  })
})

describe('without a storage', () => {
  const absent = { status: 503, body: { detail: 'Image storage not configured' } }

  test('ENV-30, ENV-35, ENV-G10: an upload and a photo are 503, and a photo can be removed', async () => {
    const id = await newDesk()
    expect(await at.upload(id, picture(), bare.url)).toEqual(absent)
    expect(await on(bare, id)).toEqual(absent)
    await at.upload(id, picture())
    expect(await on(bare, id)).toEqual(absent)
    expect(await keysOf(id)).toHaveLength(1)
    expect(await on(bare, id, 'DELETE')).toEqual({ status: 200, body: { env_id: id, image_url: null } })
  })

  test('ENV-28, ENV-29: file and desk are judged first', async () => {
    expect(await at.upload(await newDesk(), Buffer.from('words'), bare.url)).toEqual(wrongType)
    expect(await at.upload(nowhere, picture(), bare.url)).toEqual(noDesk)
    expect(await on(bare, nowhere)).toEqual(noDesk)
  })
})

describe.each(['drop', 'half_open'] as const)('while the line to the storage has %s', (kind) => {
  const away = { status: 502, body: { detail: 'Image storage is unavailable' } }

  test('ENV-27, ENV-34, ENV-G10: photo and upload are 502, the pointer stays, and a photo can be removed', async () => {
    const [id, removed] = [await newDesk(), await newDesk()]
    await at.upload(id, picture())
    await at.upload(removed, picture())
    const before = await keysOf(id)
    line.set({ kind })
    expect(await on(far, id)).toEqual(away)
    expect(await at.upload(id, png({ width: 9, height: 9 }), far.url)).toEqual(away)
    expect((await on(far, removed, 'DELETE')).status).toBe(200)
    expect([await keysOf(id), await keysOf(removed)]).toEqual([before, []])
    line.set({ kind: 'none' })
    await waitFor(async () => (await on(far, id)).status === 200, 20_000)
  })
})
