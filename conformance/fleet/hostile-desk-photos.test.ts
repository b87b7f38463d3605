import { canary } from '@crewhall/testkit/pictures/hostile-picture.ts'
import { hostilePictures } from '@crewhall/testkit/pictures/hostile-pictures.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import { isFull } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { pictureFacts } from '../../apps/server/test/picture-facts.ts'
import { watchMemory } from '../workspaces/photos/process-memory.ts'
import { DeskWorkspace } from './desk-workspace.ts'

const server = useServer('product')
let at: DeskWorkspace
let id: string
beforeAll(async () => {
  at = await DeskWorkspace.open(server)
  id = (await at.ordered()).workstation_id
})

/** A WebP is refused to members and taken for desks. */
const isWebp = (bytes: Uint8Array) => Buffer.from(bytes.subarray(8, 12)).toString('latin1') === 'WEBP'
const every = isFull ? 1 : 5
const corpus = hostilePictures()
  .filter(({ bytes }) => !isWebp(bytes))
  .filter((_, n) => n % every === 0)

test(`check 26, ENV-26, ENV-28: every ${every === 1 ? '' : `${every}th `}hostile picture is refused, or stored as a clean square, in little memory`, async () => {
  await at.upload(id, png({ width: 4, height: 4 }))
  const memory = watchMemory(server.api.pid)
  const bomb = await at.upload(id, png({ width: 14_000, height: 14_000 }))
  expect(bomb).toEqual({ status: 400, body: { detail: 'File must be PNG, JPG, GIF or WebP' } })
  const wrong: unknown[] = []
  for (const { name, bytes, answer } of corpus) {
    const { status } = await at.upload(id, bytes)
    if (status !== (typeof answer === 'string' ? 400 : 200)) wrong.push([name, status])
    if (status !== 200) continue
    const served = await (await at.photo(id)).bytes()
    const { format, width, height, metadata } = await pictureFacts(served)
    const isClean = !Buffer.from(served).includes(canary, 0, 'latin1') && metadata.length === 0
    if (!isClean || `${format} ${width} ${height}` !== 'jpeg 256 256')
      wrong.push([name, format, width, height])
  }
  memory.stop()
  const growth = Math.round(memory.most_mb - memory.before_mb)
  console.log(`${corpus.length + 1} pictures; memory grew by ${growth} MB`)
  expect(wrong).toEqual([])
  expect(growth).toBeLessThan(150)
})
