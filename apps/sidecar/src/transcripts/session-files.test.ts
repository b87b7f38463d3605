import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listSessions, readPortion } from './session-files.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sessions-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** What portions a file is sent in. */
async function portionsOf(content: string): Promise<string[]> {
  await writeFile(join(folder, 'a.jsonl'), content)
  const [file] = await listSessions(folder)
  if (!file) throw new Error('no file')
  expect(file.size).toBe((await stat(join(folder, 'a.jsonl'))).size)
  const portions: string[] = []
  for (let offset = 0; ; ) {
    const portion = await readPortion(folder, file, offset)
    if (!portion) return portions
    portions.push(portion.text)
    offset = portion.end
  }
}

const line = (length: number) => `${'x'.repeat(length - 1)}\n`

test.each([
  ['nothing', '', []],
  ['half a line', 'abc', []],
  ['lines, and half of one', 'a\nb\nc', [4]],
  ['many lines', line(1000).repeat(1000), [400_000, 400_000, 200_000]],
  ['a long line', line(450_000) + line(10), [450_000, 10]],
  ['a line that is too long', line(10) + line(1_500_000) + line(10), [10, 0, 10]],
  ['a line that is too long and not whole', 'x'.repeat(1_500_000), []],
])('%s', async (_, content, lengths) => {
  const portions = await portionsOf(content)
  expect(portions.map(({ length }) => length)).toEqual(lengths)
  for (const text of portions.filter((each) => each !== '')) expect(text.endsWith('\n')).toBe(true)
})

test('only session files count, in the order of their paths', async () => {
  for (const name of ['b.jsonl', 'a.jsonl', 'c.json']) await writeFile(join(folder, name), 'x\n')
  expect((await listSessions(folder)).map(({ path }) => path)).toEqual(['a.jsonl', 'b.jsonl'])
})
