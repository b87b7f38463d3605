import { createHash } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { SpooledFile } from '#platform/http/spooled-file.ts'

const megabyte = '\u{1F600}'.repeat(262_144)
const written = (pieces: number) =>
  SpooledFile.write(async (sink) => {
    for (let n = 0; n < pieces; n += 1) {
      sink.add(`${n} `)
      sink.add(megabyte)
      await sink.flush()
    }
    sink.add('end')
  })
const wholeOf = (pieces: number) =>
  Buffer.from(`${Array.from({ length: pieces }, (_, n) => `${n} ${megabyte}`).join('')}end`)

/** Files of this process that have no name any more. */
const nameless = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return /crewhall-.*\(deleted\)$/.test(readlinkSync(`/proc/self/fd/${fd}`))
    } catch {
      // The one that listed the folder.
      return false
    }
  }).length

test.each([
  [0, false],
  [3, false],
  [4, true],
  [9, true],
])('%i megabytes come back as they were written (from a file: %s)', async (pieces, isFile) => {
  const file = await written(pieces)
  const whole = wholeOf(pieces)
  expect(file.bytes).toBe(whole.length)
  expect(file.digest).toBe(createHash('sha256').update(whole).digest('hex'))
  const loaded = file.load()
  expect(loaded instanceof Readable).toBe(isFile)
  expect((await buffer(Readable.from(loaded))).equals(whole)).toBe(true)
  await waitFor(() => nameless() === 0, 20_000)
})

test('a file has no name while it is kept, and is gone when it is given up', async () => {
  const file = await written(5)
  expect(nameless()).toBe(1)
  await file.discard()
  expect(nameless()).toBe(0)
})

test('nothing stays behind when the writing fails', async () => {
  const failing = SpooledFile.write(async (sink) => {
    sink.add(megabyte.repeat(5))
    await sink.flush()
    throw new Error('no more')
  })
  await expect(failing).rejects.toThrow('no more')
  expect(nameless()).toBe(0)
})

test('a reader that goes away in the middle leaves nothing open', async () => {
  const stream = (await written(9)).load() as Readable
  for await (const _ of stream) break
  await waitFor(() => nameless() === 0, 20_000)
})
