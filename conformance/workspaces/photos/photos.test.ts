import { outside } from '@crewhall/testkit/outside.ts'
import { formOf } from '@crewhall/testkit/people.ts'
import { gif } from '@crewhall/testkit/pictures/picture-gif.ts'
import { jpeg } from '@crewhall/testkit/pictures/picture-jpeg.ts'
import { exifSegment } from '@crewhall/testkit/pictures/picture-metadata.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { pictureFacts } from '../../../apps/server/test/picture-facts.ts'
import { type Admin, photoPath, usePhotos } from './photo-workspace.ts'

const server = useSharedServer('product')
const photos = usePhotos(server)
const wrongType = { status: 400, body: { detail: 'File must be PNG, JPG or GIF' } }
const tooLarge = { status: 400, body: { detail: 'File too large (max 5MB)' } }
const picture = () => png({ width: 30, height: 20, fill: [200, 100, 50] })
const padded = (bytes: number) => {
  const whole = Buffer.alloc(bytes)
  jpeg({ width: 30, height: 20 }).copy(whole)
  return whole
}
const webp = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64')

let admin: Admin
beforeAll(async () => {
  admin = await photos.newAdmin()
})
const post = (body: RequestInit['body'], headers: Record<string, string> = {}) =>
  server.get(photoPath(admin), {
    method: 'POST',
    headers: { authorization: `Bearer ${admin.token}`, ...headers },
    ...(body ? { body } : {}),
  })
const urlOf = async (by: Admin, bytes: Uint8Array): Promise<string> => {
  const { status, body } = await photos.upload({ by, bytes })
  if (status !== 200 || typeof body.photo !== 'string') throw new Error(`upload answered ${status}`)
  return body.photo
}

describe('an upload', () => {
  test('MBR-11: takes the file from the multipart field `file`', async () => {
    expect((await post(formOf('file', picture()))).status).toBe(200)
  })

  test('MBR-G7: without the field `file` it is malformed', async () => {
    const response = await post(formOf('photo', picture()))
    expect([response.status, await response.json()]).toEqual([422, { detail: 'file: is required' }])
  })

  test('MBR-11: that is no multipart form is malformed', async () => {
    const response = await post('{}', { 'content-type': 'application/json' })
    expect([response.status, await response.json()]).toEqual([
      422,
      { detail: 'Content-Type must be multipart/form-data' },
    ])
  })

  test('MBR-12, MBR-18: answers 200 with nothing but the URL of the picture', async () => {
    const { status, body } = await photos.upload({ by: admin, bytes: picture() })
    expect(status).toBe(200)
    expect(body).toEqual({ photo: expect.stringMatching(/^\/api\/v1\/brands\/\d+\/members\/\d+\/photo\?v=/) })
  })

  test.each([
    ['PNG', picture()],
    ['JPG', jpeg({ width: 30, height: 20 })],
    ['GIF', gif({ width: 30, height: 20 })],
  ])('MBR-13: takes %s', async (_, bytes) => {
    expect((await photos.upload({ by: admin, bytes })).status).toBe(200)
  })

  test.each([
    ['WebP', webp, 'a.webp', 'image/webp'],
    ['WebP that is called a PNG', webp, 'a.png', 'image/png'],
    [
      'SVG that is called a JPEG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'a.jpg',
      'image/jpeg',
    ],
    ['text', Buffer.from('words'), 'a.txt', 'text/plain'],
  ])('MBR-14: refuses %s', async (_, bytes, filename, declared) => {
    expect(await photos.upload({ by: admin, bytes, filename, declared })).toEqual(wrongType)
  })

  test('MBR-14: judges the bytes, not the name and the declared type', async () => {
    const sent = { by: admin, bytes: picture(), filename: 'page.html', declared: 'text/html' }
    expect((await photos.upload(sent)).status).toBe(200)
  })

  test('MBR-14: refuses a file that begins as a picture and does not decode', async () => {
    expect(await photos.upload({ by: admin, bytes: picture().subarray(0, 60) })).toEqual(wrongType)
  })

  test('MBR-G6: takes a file of 5,242,880 bytes', async () => {
    expect((await photos.upload({ by: admin, bytes: padded(5_242_880) })).status).toBe(200)
  })

  test.each([5_242_881, 6_000_000, 20_000_000])(
    'MBR-15, MBR-G6: refuses a file of %i bytes with 400',
    async (bytes) => {
      expect(await photos.upload({ by: admin, bytes: padded(bytes) })).toEqual(tooLarge)
    },
  )

  test('MBR-G7: refuses an empty file as a wrong type', async () => {
    expect(await photos.upload({ by: admin, bytes: Buffer.alloc(0) })).toEqual(wrongType)
  })

  test('MBR-G9: of a large file of a wrong type tells the size', async () => {
    expect(await photos.upload({ by: admin, bytes: Buffer.alloc(5_242_881, 'x') })).toEqual(tooLarge)
  })

  test('a refused upload leaves the picture, the rows and the storage as they were', async () => {
    const by = await photos.newAdmin()
    const url = await urlOf(by, picture())
    const before = [await photos.objects(by.brand_id), await photos.named(by.brand_id)]
    expect(await photos.upload({ by, bytes: webp })).toEqual(wrongType)
    expect(await photos.upload({ by, bytes: picture().subarray(0, 60) })).toEqual(wrongType)
    expect([await photos.objects(by.brand_id), await photos.named(by.brand_id)]).toEqual(before)
    expect((await photos.show(by, url)).status).toBe(200)
  })

  test('the same file may be sent twice', async () => {
    const by = await photos.newAdmin()
    const first = await photos.upload({ by, bytes: picture() })
    expect(await photos.upload({ by, bytes: picture() })).toEqual(first)
    expect((await photos.show(by, String(first.body.photo))).status).toBe(200)
  })
})

describe('the picture that is served', () => {
  const shown = async (bytes: Uint8Array) => {
    const by = await photos.newAdmin()
    const response = await photos.show(by, await urlOf(by, bytes))
    return { response, bytes: await response.bytes() }
  }

  test('MBR-G10: is encoded anew, without metadata, and turned as the camera was held', async () => {
    const mark = 'canary-48.8584N-2.2945E'
    const { response, bytes } = await shown(
      jpeg({ width: 40, height: 20, fill: [90, 128, 128], before: [exifSegment(6, mark)] }),
    )
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect(Buffer.from(bytes).includes(mark)).toBe(false)
    expect(await pictureFacts(bytes)).toEqual({
      format: 'jpeg',
      width: 20,
      height: 40,
      has_alpha: false,
      metadata: [],
      first: [90, 90, 90],
    })
  })

  test('MBR-G10: keeps its transparency as PNG', async () => {
    const { response, bytes } = await shown(
      png({ width: 30, height: 20, colour: 'rgba', fill: [9, 99, 199, 128] }),
    )
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(await pictureFacts(bytes)).toMatchObject({
      format: 'png',
      has_alpha: true,
      first: [9, 99, 199, 128],
    })
  })

  test('MBR-G10: has at most 512 by 512 pixels', async () => {
    const { bytes } = await shown(png({ width: 2000, height: 1000 }))
    expect(await pictureFacts(bytes)).toMatchObject({ width: 512, height: 256 })
  })

  test('comes with headers that let no browser take it for anything else', async () => {
    const { response } = await shown(picture())
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      vary: 'Authorization, Cookie',
    })
  })

  test('may be kept by a browser for a day under the URL of its version, and by no shared cache', async () => {
    const { response } = await shown(picture())
    expect(response.headers.get('cache-control')).toBe('private, max-age=86400, immutable')
  })

  test('has to be asked for again under a URL without its version', async () => {
    const by = await photos.newAdmin()
    await urlOf(by, picture())
    for (const path of [photoPath(by), `${photoPath(by)}?v=0`]) {
      const response = await photos.show(by, path)
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
    }
  })

  test('is not sent again to a caller that has it', async () => {
    const by = await photos.newAdmin()
    const url = await urlOf(by, picture())
    const etag = (await photos.show(by, url)).headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await photos.show(by, url, { 'if-none-match': known })
      expect([again.status, again.headers.get('etag'), (await again.bytes()).length]).toEqual([304, etag, 0])
    }
    expect((await photos.show(by, url, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('MBR-G10: has another URL when it has changed, and the dashboard fetches it with its session', async () => {
    const by = await photos.newAdmin()
    const first = await urlOf(by, picture())
    const second = await urlOf(by, png({ width: 30, height: 20, fill: [60, 60, 60] }))
    expect(second).not.toBe(first)
    const cookie = await photos.at.newCookie(by.person_id, by.brand_id)
    const response = await server.get(second, { headers: { cookie } })
    expect(await pictureFacts(await response.bytes())).toMatchObject({ first: [60, 60, 60] })
  })

  test('is not found when its object is gone from the storage', async () => {
    const by = await photos.newAdmin()
    const url = await urlOf(by, picture())
    for (const key of await photos.objects(by.brand_id)) await photos.storage.remove(outside, key)
    const response = await photos.show(by, url)
    expect([response.status, await response.json()]).toEqual([404, { detail: 'Photo not found' }])
  })
})

describe('removing', () => {
  test('MBR-17: answers 200 `{photo: null}`, and the picture is gone', async () => {
    const by = await photos.newAdmin()
    const url = await urlOf(by, picture())
    expect(await photos.remove(by)).toEqual({ status: 200, body: { photo: null } })
    const response = await photos.show(by, url)
    expect([response.status, await response.json()]).toEqual([404, { detail: 'Photo not found' }])
  })

  test('MBR-G11: without a picture answers the same', async () => {
    const by = await photos.newAdmin()
    expect(await photos.remove(by)).toEqual({ status: 200, body: { photo: null } })
  })

  test('MBR-18: the member has a URL while there is a picture, and null afterwards', async () => {
    const by = await photos.newAdmin()
    const read = async () => {
      const path = `/api/v1/brands/${by.brand_id}/members/${by.person_id}`
      return ((await (await server.get(path, { headers: bearer(by.token) })).json()) as { photo: unknown })
        .photo
    }
    expect(await read()).toBe(null)
    const url = await urlOf(by, picture())
    expect(await read()).toBe(url)
    await photos.remove(by)
    expect(await read()).toBe(null)
  })
})

test.for([
  ['a JPG of 7000 by 5000 and 410 kB', jpeg({ width: 7000, height: 5000, fill: [90, 120, 150] }), 512, 366],
  [
    'a JPG of 48 megapixels from a phone that was held upright',
    jpeg({
      width: 8064,
      height: 6048,
      fill: [90, 120, 150],
      before: [exifSegment(6, 'phone')],
    }),
    384,
    512,
  ],
  ['a PNG of 48 megapixels', png({ width: 8064, height: 6048 }), 512, 384],
] as const)('K18 MBR-13: takes %s', async ([, bytes, width, height]) => {
  const by = await photos.newAdmin()
  const { status, body } = await photos.upload({ by, bytes })
  expect(status).toBe(200)
  const served = await photos.show(by, String(body.photo))
  expect(await pictureFacts(await served.bytes())).toMatchObject({ width, height })
})
