import { isDeepStrictEqual } from 'node:util'
import { canary, type HostilePicture } from '@crewhall/testkit/pictures/hostile-picture.ts'
import { hostilePictures } from '@crewhall/testkit/pictures/hostile-pictures.ts'
import { gif } from '@crewhall/testkit/pictures/picture-gif.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { expect, test } from 'vitest'
import { pictureFacts } from '../../../apps/server/test/picture-facts.ts'
import { type Answered, usePhotos } from './photo-workspace.ts'
import { watchMemory } from './process-memory.ts'

const server = useServer('product')
const photos = usePhotos(server)
const corpus = hostilePictures()
const refusals = {
  'wrong type': { status: 400, body: { detail: 'File must be PNG, JPG or GIF' } },
  'too large': { status: 400, body: { detail: 'File too large (max 5MB)' } },
} as const

async function send({ bytes, filename, declared }: HostilePicture) {
  const by = await photos.newAdmin()
  const names = { ...(filename ? { filename } : {}), ...(declared ? { declared } : {}) }
  return { by, answered: await photos.upload({ by, bytes, ...names }) }
}
const expected = ({ answer }: HostilePicture): Answered =>
  typeof answer === 'string'
    ? refusals[answer]
    : { status: 200, body: { photo: expect.stringContaining('/photo?v=') as string } }

/** Marks of metadata and of what was hidden in the files, none of which belongs into a picture. */
const foreign = [
  canary,
  'Exif',
  'http://ns.adobe.com',
  '<script',
  '%PDF',
  'PK\x03\x04',
  'ELF',
  '<html',
  'tEXt',
]

test('the corpus has at least 40 files, and some for each answer', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(40)
  expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length)
  expect(corpus.filter(({ answer }) => answer === 'wrong type').length).toBeGreaterThan(20)
  expect(corpus.filter(({ answer }) => answer === 'too large').length).toBeGreaterThan(2)
  expect(corpus.filter(({ answer }) => typeof answer === 'object').length).toBeGreaterThan(20)
})

const clauses = { 'wrong type': 'MBR-14', 'too large': 'MBR-15' } as const
const titled = ({ name, answer }: HostilePicture): string =>
  typeof answer === 'string' ? `${clauses[answer]}: refuses ${name}` : `MBR-13, MBR-G10: takes ${name}`

test.each(corpus.map((picture) => [titled(picture), picture] as const))('%s', async (_, picture) => {
  const { by, answered } = await send(picture)
  expect(answered).toEqual(expected(picture))
  const objects = await photos.objects(by.brand_id)
  if (typeof picture.answer === 'string') {
    expect(objects).toEqual([])
    return
  }
  const served = await photos.show(by, String(answered.body.photo))
  const bytes = await served.bytes()
  expect(foreign.filter((mark) => Buffer.from(bytes).includes(mark, 0, 'latin1'))).toEqual([])
  const { width, height, type } = picture.answer
  expect(served.headers.get('content-type')).toBe(type)
  expect(await pictureFacts(bytes)).toMatchObject({
    format: type.slice('image/'.length),
    width,
    height,
    metadata: [],
  })
})

const busy = { status: 503, body: { detail: 'Too many images at a time; try again shortly' } }
const isTurnedAway = ({ status, body }: { status: number; body: object }): boolean =>
  isDeepStrictEqual({ status, body }, busy)

test('the whole corpus, eight at a time, is answered the same, in little memory, while health answers', async () => {
  await send(corpus[0] as HostilePicture)
  const memory = watchMemory(server.api.pid)
  const waits: number[] = []
  let healthy = 0
  let running = true
  const health = (async () => {
    while (running) {
      const begun = performance.now()
      const { status } = await server.get('/api/v1/system/health')
      waits.push(performance.now() - begun)
      if (status === 200) healthy += 1
    }
  })()
  const left = [...corpus]
  const wrong: unknown[] = []
  const client = async () => {
    for (let picture = left.shift(); picture; picture = left.shift()) {
      const { answered } = await send(picture)
      // Whoever waits too long for a place is told to come back, and does.
      if (isTurnedAway(answered)) left.push(picture)
      else if (answered.status !== expected(picture).status) wrong.push([picture.name, answered])
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  running = false
  await health
  memory.stop()
  const growth = memory.most_mb - memory.before_mb
  waits.sort((a, b) => a - b)
  const at = (share: number) => Math.round(waits[Math.floor(waits.length * share)] ?? 0)
  console.log(
    `${corpus.length} files, 8 at a time: the process grew by ${growth.toFixed(0)} MB; ` +
      `${memory.most_children} decoders took ${memory.most_children_mb.toFixed(0)} MB together; ` +
      `health (${waits.length}): median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1 - 1 / waits.length)} ms`,
  )
  expect(wrong).toEqual([])
  expect(growth).toBeLessThan(150)
  expect(memory.most_children).toBeLessThanOrEqual(2)
  // Each: 65 MB of its own, 150 MB that a picture may hold, and room.
  expect(memory.most_children_mb).toBeLessThan(2 * 300)
  expect(waits.length).toBeGreaterThan(50)
  expect(at(0.95)).toBeLessThan(1000)
  // On a machine that others keep busy, a look at Redis or Postgres may be late now and then.
  expect(healthy / waits.length).toBeGreaterThan(0.95)
})

test('more pictures of one workspace than there are places are told to come back', async () => {
  const by = await photos.newAdmin()
  const bytes = gif({ width: 4000, height: 4000 })
  const answers = await Promise.all(Array.from({ length: 24 }, () => photos.upload({ by, bytes })))
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.length).toBeLessThan(answers.length)
  expect(refused).toEqual(refused.map(() => busy))
})
