import { expect, test } from 'vitest'
import type { OpenFile } from '#platform/shared-files/file-tree.ts'
import { markOf, markText } from './session-file.rules.ts'
import { checkOf, generationOf, nextPiece, startOf } from './session-file.ts'

const fileOf = (text: string): OpenFile => {
  const bytes = Buffer.from(text)
  return {
    size: bytes.length,
    seen: '',
    read: async (from, length) => bytes.subarray(from, from + length),
    close: async () => {},
  }
}
const record = (n: number, filling = '') => `${JSON.stringify({ n, filling })}\n`
const mebibyte = 1_048_576

async function read(text: string, from = 0): Promise<{ texts: string[]; end: number }> {
  const texts: string[] = []
  let end = from
  for (let piece = await nextPiece(fileOf(text), from); piece; piece = await nextPiece(fileOf(text), end)) {
    expect(piece.from).toBe(end)
    texts.push(piece.text)
    end = piece.end
  }
  return { texts, end }
}

test('a file is read in pieces of whole lines, wherever the pieces end', async () => {
  const lines = Array.from({ length: 3000 }, (_, n) => record(n, 'ä'.repeat(n % 700)))
  const { texts, end } = await read(lines.join(''))
  expect(texts.length).toBeGreaterThan(1)
  expect(texts.join('')).toBe(lines.join(''))
  for (const text of texts) expect(text.endsWith('\n')).toBe(true)
  expect(end).toBe(Buffer.byteLength(lines.join('')))
})

test('wherever a file is cut off, it is read to the last whole record and then on from there', async () => {
  const text = [record(1, 'é'), record(2), '\n', record(3, '}')].join('')
  const bytes = Buffer.from(text)
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const first = await read(bytes.toString('latin1', 0, cut))
    // As Latin 1 every byte is a character, so a cut in the middle of one changes nothing.
    const all = bytes.toString('latin1')
    const { texts } = await read(all, first.end)
    const whole = [...first.texts, ...texts].join('').split('\n').filter(Boolean)
    expect(whole).toEqual(all.split('\n').filter(Boolean))
  }
})

test('half an object waits, a whole one without a line break does not', async () => {
  expect((await read(`${record(1)}{"n":2`)).texts).toEqual([record(1)])
  expect((await read(`${record(1)}{"n":2}`)).texts).toEqual([record(1), '{"n":2}'])
  for (const half of ['', '"', '12', 'nul', 'true', '{', '[1'])
    expect((await read(`${record(1)}${half}`)).end).toBe(Buffer.byteLength(record(1)))
})

test('a long line is read as a whole, and one of more than 8 MiB is left out, with all others read', async () => {
  const long = record(2, 'x'.repeat(3 * mebibyte))
  const tooLong = record(3, 'x'.repeat(9 * mebibyte))
  const { texts } = await read([record(1), long, tooLong, record(4)].join(''))
  expect(texts.map((text) => text.length)).toEqual([record(1).length, long.length, 0, record(4).length])
  // While it is written nobody knows how long it becomes.
  expect((await read(record(1) + tooLong.trimEnd().slice(0, -1))).texts).toEqual([record(1)])
})

test('a file goes on where it stopped as long as it has only grown', async () => {
  const before = record(1) + record(2)
  const offset = Buffer.byteLength(before)
  const mark = markOf(markText({ offset, check: await checkOf(fileOf(before), offset), seen: '1:2' }))
  const start = (text: string) => startOf(fileOf(text), mark)
  expect(mark?.seen).toBe('1:2')
  expect(await start(before)).toBe(offset)
  expect(await start(before + record(3))).toBe(offset)
  for (const other of [record(1), '', record(3) + record(4) + record(5), record(1) + record(3) + record(2)])
    expect(await start(other)).toBe(0)
  expect(await startOf(fileOf(before), undefined)).toBe(0)
})

test('the generation stays while a file grows, and is another for another beginning', async () => {
  const first = await generationOf(fileOf(record(1)))
  expect(await generationOf(fileOf(record(1) + record(2)))).toBe(first)
  expect(await generationOf(fileOf(record(2) + record(1)))).not.toBe(first)
})
