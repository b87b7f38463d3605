import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { plantedSecrets } from '@crewhall/testkit/planted-secrets.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LogFile } from './log-file.ts'

let folder = ''
let file: LogFile
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'log-file-'))
  file = new LogFile(folder)
})
afterEach(() => rm(folder, { recursive: true }))

test('lines come back in order, also those of an earlier process', async () => {
  file.append('one')
  new LogFile(folder).append('two')
  expect(await file.tail(1000)).toBe('one\ntwo\n')
  expect((await stat(join(folder, 'sidecar.log'))).mode & 0o777).toBe(0o600)
})

test('as many whole lines as there is room for are kept, and the files do not grow', async () => {
  const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at} ${'€'.repeat(20)}`)
  for (const line of lines) file.append(line)
  const tail = await file.tail(65_536)
  expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(65_536)
  expect(Buffer.byteLength(tail)).toBeGreaterThan(65_536 - 100)
  const told = tail.trimEnd().split('\n')
  expect(told).toEqual(lines.slice(-told.length))
  for (const name of ['sidecar.log', 'sidecar.log.1'])
    expect((await stat(join(folder, name))).size).toBeLessThan(132_000)
})

test('exactly what fits is kept', async () => {
  for (const line of ['aaaa', 'bbbb', 'cccc']) file.append(line)
  expect([await file.tail(15), await file.tail(14), await file.tail(5), await file.tail(4)]).toEqual([
    'aaaa\nbbbb\ncccc\n',
    'bbbb\ncccc\n',
    'cccc\n',
    '',
  ])
})

test.each(plantedSecrets)('$name is cut out of a line', async ({ text, values }) => {
  file.append(JSON.stringify({ msg: text }))
  const tail = await file.tail(65_536)
  for (const value of values) expect(tail).not.toContain(value)
})

test('a folder that is not there ends nobody', async () => {
  const lost = new LogFile(join(folder, 'nowhere'))
  lost.append('line')
  expect(await lost.tail(100)).toBe('')
})
