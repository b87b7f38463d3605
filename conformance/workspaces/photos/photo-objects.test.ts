import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Admin, photoPath, usePhotos } from './photo-workspace.ts'
import { childrenOf } from './process-memory.ts'

const server = useServer('product')
const photos = usePhotos(server)
const picture = (shade = 0) => png({ width: 30, height: 20, fill: [shade, 100, 50] })
const hourMs = 3_600_000
let clock: VirtualClock

beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  await server.start('worker', clock.env)
})
afterAll(() => clock?.close())

/** Waits until the storage has exactly the objects that rows name, and so many. */
const settled = (brand_id: number, count: number) =>
  waitFor(async () => {
    const [stored, named] = [await photos.objects(brand_id), await photos.named(brand_id)]
    return stored.length === count && stored.join() === named.join()
  }, 30_000)

/** A sweep by the clock, started and finished. */
async function nextSweep(): Promise<void> {
  await clock.advance(2 * hourMs)
  await waitFor(async () => {
    const [row] = await photos.at.sql<{ open: number; due: boolean }>(
      `select (select count(*)::int from pgboss.job where name = 'workspaces.sweep-photos'
                and state in ('created', 'retry', 'active')) as open,
              (select next_at <= platform.now() from jobs.schedules where name = 'workspaces.sweep-photos') as due`,
    )
    return row?.open === 0 && !row.due
  }, 20_000)
}

test('a new picture replaces the object of the old one', async () => {
  const by = await photos.newAdmin()
  await photos.upload({ by, bytes: picture(1) })
  const [first] = await photos.objects(by.brand_id)
  await photos.upload({ by, bytes: picture(2) })
  await settled(by.brand_id, 1)
  expect(await photos.objects(by.brand_id)).not.toContain(first)
})

test('the same file sent twice leaves one object', async () => {
  const by = await photos.newAdmin()
  await photos.upload({ by, bytes: picture() })
  await photos.upload({ by, bytes: picture() })
  await settled(by.brand_id, 1)
})

test('MBR-17: removing a picture removes its object', async () => {
  const by = await photos.newAdmin()
  await photos.upload({ by, bytes: picture() })
  expect(await photos.objects(by.brand_id)).toHaveLength(1)
  await photos.remove(by)
  await settled(by.brand_id, 0)
})

test('the picture of a member goes with the membership', async () => {
  const by = await photos.newAdmin()
  const { person_id } = await photos.at.join(by.brand_id, 'member')
  await photos.upload({ by, of: person_id, bytes: picture() })
  expect(await photos.objects(by.brand_id)).toHaveLength(1)
  const path = `/api/v1/brands/${by.brand_id}/members/${person_id}`
  expect((await server.get(path, { headers: bearer(by.token), method: 'DELETE' })).status).toBe(200)
  await settled(by.brand_id, 0)
})

describe('a process that is killed between the storage and the commit', () => {
  /** Uploads to a process that ends itself right after the object was stored. */
  async function killedUpload(by: Admin): Promise<void> {
    const doomed = await server.start('api', { TEST_FAULT_POINTS: 'photos.put:kill@1' })
    await expect(photos.upload({ by, bytes: picture(7), url: doomed.url })).rejects.toThrow()
    await doomed.ended
  }

  test('leaves the old picture as it was, and no orphan after the sweep', async () => {
    const by = await photos.newAdmin()
    const { body } = await photos.upload({ by, bytes: picture() })
    await killedUpload(by)
    expect(await photos.objects(by.brand_id)).toHaveLength(2)
    expect(await photos.named(by.brand_id)).toHaveLength(1)
    await nextSweep()
    await settled(by.brand_id, 1)
    expect((await photos.show(by, String(body.photo))).status).toBe(200)
  })

  test('leaves nothing behind when there was no picture', async () => {
    const by = await photos.newAdmin()
    await killedUpload(by)
    expect(await photos.objects(by.brand_id)).toHaveLength(1)
    await nextSweep()
    await settled(by.brand_id, 0)
  })
})

test('an upload that was frozen until its object was swept is refused, and no row names what is gone', async () => {
  const by = await photos.newAdmin()
  const api = await server.start('api', { ...clock.env, TEST_FAULT_POINTS: 'photos.put:stop@1' })
  const upload = photos.upload({ by, bytes: picture(), url: api.url })
  await untilFrozen(api)
  expect(await photos.objects(by.brand_id)).toHaveLength(1)
  await nextSweep()
  await settled(by.brand_id, 0)
  process.kill(api.pid, 'SIGCONT')
  expect((await upload).status).toBe(503)
  expect(await photos.named(by.brand_id)).toEqual([])
})

test('the processes that decode end with the process that needs them, also when it is killed', async () => {
  const by = await photos.newAdmin()
  const api = await server.start('api')
  await photos.upload({ by, bytes: picture(), url: api.url })
  const decoders = childrenOf(api.pid)
  expect(decoders.length).toBeGreaterThan(0)
  await api.kill()
  await waitFor(() => decoders.every((pid) => !existsSync(`/proc/${pid}`)), 20_000)
})

/** Opens a connection and sends the head of an upload of so many bytes. */
function beginUpload(url: string, by: Admin, length: number): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const lines = [
    `POST ${photoPath(by)} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    `Authorization: Bearer ${by.token}`,
    'Content-Type: multipart/form-data; boundary=b',
    `Content-Length: ${length}`,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  return socket
}
const form = (bytes: Buffer) =>
  Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'),
    bytes,
    Buffer.from('\r\n--b--\r\n'),
  ])

test.each([40, 100, 140])('an upload that is cut off after %i bytes leaves nothing', async (bytes) => {
  const by = await photos.newAdmin()
  const api = await server.start('api')
  const socket = beginUpload(api.url, by, form(picture()).length)
  socket.write(form(picture()).subarray(0, bytes))
  // Others are answered meanwhile; by then this one is being read.
  for (let n = 0; n < 20; n += 1) await (await fetch(`${api.url}/api/v1/system/info`)).text()
  socket.resetAndDestroy()
  // A process that stops has finished or given up whatever it had begun.
  expect(await api.stop()).toBe(0)
  expect([await photos.objects(by.brand_id), await photos.named(by.brand_id)]).toEqual([[], []])
})

test('an upload that arrives in small pieces arrives', async () => {
  const by = await photos.newAdmin()
  const whole = form(picture())
  const socket = beginUpload(server.api.url, by, whole.length)
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes
  })
  for (let at = 0; at < whole.length; at += 5) {
    socket.write(whole.subarray(at, at + 5))
    await (await server.get('/api/v1/system/health')).text()
  }
  await once(socket, 'close')
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(await photos.objects(by.brand_id)).toHaveLength(1)
})
