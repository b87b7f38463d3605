import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { fileTreeOn, type TreeEntry } from '#platform/shared-files/file-tree.ts'

const outside = { is_outside: true } as const
const limits = { depth: 3, entries: 50, file_bytes: 1000 }
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'file-tree-'))
})
let swapper: Worker | undefined
afterEach(async () => {
  await swapper?.terminate()
  swapper = undefined
  rmSync(root, { recursive: true, force: true })
})

function put(path: string, text = path): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

/** Content or reason by path, in the order of the walk. */
async function readAll(names = ['7', 'in'], after = ''): Promise<[string, string][] | string> {
  const tree = await fileTreeOn(root).open(outside, names, limits)
  if (typeof tree === 'string') return tree
  const found: [string, string][] = []
  try {
    for await (const batch of tree.entries(after))
      for (const entry of batch) found.push([entry.path, await contentOf(entry)])
  } finally {
    await tree.close()
  }
  return found
}
async function contentOf(entry: TreeEntry): Promise<string> {
  if ('reason' in entry) return entry.reason
  const file = await entry.open()
  if (file === undefined || typeof file === 'string') return file ?? 'gone'
  try {
    return (await file.read(0, file.size)).toString()
  } finally {
    await file.close()
  }
}

test('files are found in a fixed order, and behind any of them again', async () => {
  const paths = ['b.txt', 'a/z.txt', 'a/b/c.txt', 'a.txt', 'c/a.txt']
  for (const path of paths) put(`7/in/${path}`)
  const all = ['a/b/c.txt', 'a/z.txt', 'a.txt', 'b.txt', 'c/a.txt']
  const pathsAfter = async (after: string) => {
    const found = await readAll(undefined, after)
    return typeof found === 'string' ? found : found.map(([path]) => path)
  }
  expect(await pathsAfter('')).toEqual(all)
  for (const [at, path] of all.entries()) expect(await pathsAfter(path)).toEqual(all.slice(at + 1))
  expect(await pathsAfter('a/y/gone.txt')).toEqual(all.slice(1))
})

test('links, hard links, pipes, sockets, folders that are too deep and large files are left out', async () => {
  const secret = put('8/in/secret.txt')
  put('7/in/good.txt', 'good')
  symlinkSync(secret, join(root, '7/in/absolute.txt'))
  symlinkSync('../../8/in/secret.txt', join(root, '7/in/relative.txt'))
  symlinkSync(join(root, '8'), join(root, '7/in/folder'))
  symlinkSync('/nowhere', join(root, '7/in/nowhere'))
  symlinkSync('.', join(root, '7/in/self'))
  linkSync(secret, join(root, '7/in/hard.txt'))
  execFileSync('mkfifo', [join(root, '7/in/pipe.txt')])
  const server = createServer().listen(join(root, '7/in/socket.txt'))
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  put('7/in/a/b/c/deep.txt')
  put('7/in/large.txt', 'x'.repeat(1001))
  expect(Object.fromEntries((await readAll()) as [string, string][])).toEqual({
    'good.txt': 'good',
    'absolute.txt': 'link',
    'relative.txt': 'link',
    folder: 'link',
    nowhere: 'link',
    self: 'link',
    'hard.txt': 'hard_linked',
    'pipe.txt': 'not_a_file',
    'socket.txt': 'not_a_file',
    'a/b/c': 'too_deep',
    'large.txt': 'too_large',
  })
})

test('a folder with too many names is read in part', async () => {
  for (let n = 0; n < 60; n += 1) put(`7/in/${n}.txt`, '')
  const found = (await readAll()) as [string, string][]
  expect(found).toHaveLength(51)
  expect(found).toContainEqual(['', 'too_many'])
})

test('a name that is no text is left out', async () => {
  put('7/in/good.txt', 'good')
  writeFileSync(Buffer.concat([Buffer.from(join(root, '7/in/')), Buffer.from([0xff, 0xfe])]), 'bad')
  expect(((await readAll()) as [string, string][]).map(([, found]) => found).toSorted()).toEqual([
    'good',
    'name',
  ])
})

test('what cannot be opened says why', async () => {
  expect(await readAll()).toBe('missing')
  mkdirSync(join(root, '7'))
  expect(await readAll()).toBe('missing')
  writeFileSync(join(root, '7/in'), '')
  expect(await readAll()).toBe('link')
  rmSync(join(root, '7/in'))
  put('8/in/secret.txt')
  symlinkSync('../8/in', join(root, '7/in'))
  expect(await readAll()).toBe('link')
  rmSync(join(root, '7'), { recursive: true })
  symlinkSync('8', join(root, '7'))
  expect(await readAll()).toBe('link')
  rmSync(root, { recursive: true })
  expect(await readAll()).toBe('no_root')
})

// Only root can give files away.
test.runIf(process.getuid?.() === 0)('what belongs to others is left out', async () => {
  const { chownSync } = await import('node:fs')
  put('7/in/good.txt', 'good')
  chownSync(put('7/in/theirs.txt'), 4321, 4321)
  put('7/in/folder/a.txt')
  chownSync(join(root, '7/in/folder'), 4321, 4321)
  expect(await readAll()).toEqual([
    ['folder', 'owner'],
    ['good.txt', 'good'],
    ['theirs.txt', 'owner'],
  ])
  // Whose the folder of the workspace is, theirs are its files.
  chownSync(join(root, '7'), 4321, 4321)
  expect(Object.fromEntries((await readAll()) as [string, string][])['theirs.txt']).toBe('7/in/theirs.txt')
  chownSync(join(root, '7/in'), 1234, 1234)
  expect(await readAll()).toBe('owner')
})

test('a file that was opened stays the same when another takes its name', async () => {
  const file = put('7/in/a.txt', 'mine')
  const secret = put('8/in/secret.txt', 'secret')
  const tree = await fileTreeOn(root).open(outside, ['7', 'in'], limits)
  if (typeof tree === 'string') throw new Error(tree)
  for await (const [entry] of tree.entries('')) {
    if (!entry || 'reason' in entry) throw new Error('no file')
    rmSync(file)
    symlinkSync(secret, file)
    expect(await entry.open()).toBe('link')
    rmSync(file)
    linkSync(secret, file)
    expect(await entry.open()).toBe('hard_linked')
    rmSync(file)
    expect(await entry.open()).toBeUndefined()
    // The whole folder gives way to a link: the one that was opened is still the one that is read.
    renameSync(join(root, '7/in'), join(root, '7/was'))
    symlinkSync(join(root, '8/in'), join(root, '7/in'))
    writeFileSync(join(root, '7/was/a.txt'), 'still mine')
    expect(await contentOf(entry)).toBe('still mine')
  }
  await tree.close()
})

const passes = scaled(2000, 300)

/** Swaps a folder for a link to that of another workspace and back, as fast as it can. */
async function swapping(): Promise<void> {
  const source = `
    const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
    const { workerData: { folder, aside, foreign } } = require('node:worker_threads')
    for (;;) {
      renameSync(folder, aside)
      symlinkSync(foreign, folder)
      unlinkSync(folder)
      renameSync(aside, folder)
    }`
  const workerData = {
    folder: join(root, '7/in/sub'),
    aside: join(root, '7/aside'),
    foreign: join(root, '8/in'),
  }
  swapper = new Worker(source, { eval: true, workerData })
  await once(swapper, 'online')
}

test(`a folder that is swapped for a link all the time never shows what is behind the link, ${passes} passes`, async () => {
  put('8/in/a.txt', 'secret')
  put('7/in/sub/a.txt', 'mine')
  await swapping()
  const seen = new Set<string>()
  for (let pass = 0; pass < passes || !seen.has('mine'); pass += 1)
    for (const [, found] of (await readAll()) as [string, string][]) seen.add(found)
  expect([...seen]).not.toContain('secret')
  expect(seen).toContain('mine')
})

test('a reader that looks first and opens by path afterwards is caught by the same swapping', async () => {
  put('8/in/a.txt', 'secret')
  put('7/in/sub/a.txt', 'mine')
  await swapping()
  const folder = join(root, '7/in/sub')
  const isCaught = () => {
    try {
      return lstatSync(folder).isDirectory() && readFileSync(join(folder, 'a.txt'), 'utf8') === 'secret'
    } catch {
      return false
    }
  }
  let isSeen = false
  for (let tries = 0; tries < 5_000_000 && !isSeen; tries += 1) isSeen = isCaught()
  expect(isSeen).toBe(true)
})
