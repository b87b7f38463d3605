import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDirectory } from '../state/instance-lock.ts'
import { type Next, rewriteShared } from './shared-file.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shared-'))
  path = join(folder, 'MEMORY.md')
})
afterEach(() => rm(folder, { recursive: true }))

const to = (text: string) => async (): Promise<Next> => ({ bytes: Buffer.from(text) })
const content = () => readFile(path, 'utf8')

test('a file is made, replaced with its rights, and not written where nothing changes', async () => {
  expect(await rewriteShared(path, to(''))).toEqual({ state: 'same' })
  expect(await rewriteShared(path, to('one'))).toEqual({ state: 'written' })
  await chmod(path, 0o640)
  const { ino } = await stat(path)
  expect(await rewriteShared(path, to('one'))).toEqual({ state: 'same' })
  expect((await stat(path)).ino).toBe(ino)
  expect(await rewriteShared(path, to('other'))).toEqual({ state: 'written' })
  expect([await content(), (await stat(path)).mode & 0o777]).toEqual(['other', 0o640])
  expect(await readdir(folder)).toEqual(['MEMORY.md'])
})

test.each([
  ['written into', () => writeFile(path, 'theirs')],
  [
    'replaced',
    async () => {
      await writeFile(join(folder, 'new'), 'theirs')
      await rename(join(folder, 'new'), path)
    },
  ],
])('a file that was %s while we thought about it stays theirs', async (_, act) => {
  await writeFile(path, 'before')
  const outcome = await rewriteShared(path, async () => {
    await act()
    return { bytes: Buffer.from('ours') }
  })
  expect([outcome, await content()]).toEqual([{ state: 'untouched', reason: 'busy' }, 'theirs'])
  expect(await readdir(folder)).toEqual(['MEMORY.md'])
})

test('a file that somebody makes at the same time is not overwritten', async () => {
  const outcome = await rewriteShared(path, async () => {
    await writeFile(path, 'theirs')
    return { bytes: Buffer.from('ours') }
  })
  expect([outcome, await content()]).toEqual([{ state: 'untouched', reason: 'busy' }, 'theirs'])
})

test('what a killed process has left is tidied up, and a folder that is locked or missing is left alone', async () => {
  await writeFile(join(folder, '.MEMORY.md.crewhall-new-1'), 'half')
  await rewriteShared(path, to('one'))
  expect(await readdir(folder)).toEqual(['MEMORY.md'])
  const lock = lockDirectory(folder)
  expect(await rewriteShared(path, to('two'))).toEqual({ state: 'untouched', reason: 'busy' })
  if (typeof lock !== 'string') lock.release()
  const nowhere = join(folder, 'missing', 'MEMORY.md')
  expect(await rewriteShared(nowhere, to('x'))).toEqual({ state: 'untouched', reason: 'no_directory' })
})
