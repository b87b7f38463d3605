import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { findSection, withSection } from '@crewhall/contracts/memory/section.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { root as repository } from '@crewhall/testkit/server-process.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Outside } from '#platform/ctx/outside.ts'
import { type Libc, loadLibc } from '#platform/shared-files/libc.ts'
import type { Rewriting } from '#platform/shared-files/rewriter.ts'
import { type SharedFiles, sharedFilesOn } from '#platform/shared-files/shared-files.ts'
import { mergeFiles } from './merge.rules.ts'

const libc = await loadLibc()
const outside: Outside = { is_outside: true }
const place = { folders: ['7', 'build-bot'], name: 'MEMORY.md' }
const nonce = '0123456789abcdef'

let root: string
let folder: string
let path: string
let files: SharedFiles
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), 'crewhall-files-'))
  folder = join(root, '7', 'build-bot')
  path = join(folder, 'MEMORY.md')
  files = sharedFilesOn(root, libc)
})
afterEach(() => {
  fs.chmodSync(root, 0o755)
  fs.rmSync(root, { recursive: true, force: true })
})

/** What an export does to the bytes, with these lines. */
const putting = (lines: () => readonly string[], more: Partial<Rewriting> = {}): Rewriting => ({
  async next(bytes) {
    const section = findSection(bytes ?? Buffer.alloc(0))
    return section.kind === 'refused'
      ? { reason: section.reason }
      : { bytes: withSection(bytes, section, lines(), nonce) }
  },
  merge: mergeFiles,
  replaced: async () => {},
  step: async () => {},
  ...more,
})
const put = (...lines: string[]) =>
  files.rewrite(
    outside,
    place,
    putting(() => lines),
  )
const write = (text: string) => {
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path, text)
}
const read = () => fs.readFileSync(path, 'utf8')
const leftovers = () => fs.readdirSync(folder).filter((name) => name !== 'MEMORY.md')
const section = (...lines: string[]) =>
  [`<!-- crewhall:memory begin ${nonce} -->`, ...lines, `<!-- crewhall:memory end ${nonce} -->`].join('\n')

test('this system can exchange two files and tell whether one is being written', () => {
  expect(files.is_exact).toBe(true)
})

describe('CONV-G15: one program alone', () => {
  test('a missing file is made with its folders', async () => {
    expect(await put('- a')).toMatchObject({ state: 'written', reason: null })
    expect(read()).toBe(`${section('- a')}\n`)
    expect(leftovers()).toEqual([])
  })

  test('mode and owner stay, and what else stands in the folder', async () => {
    write('# Notes\n')
    fs.chmodSync(path, 0o604)
    if (process.getuid?.() === 0) fs.chownSync(path, 12_345, 54_321)
    const before = fs.statSync(path)
    fs.writeFileSync(join(folder, 'other.md'), 'x')
    await put('- a')
    const { mode, uid, gid } = fs.statSync(path)
    expect({ mode, uid, gid }).toEqual({ mode: before.mode, uid: before.uid, gid: before.gid })
    expect(leftovers()).toEqual(['other.md'])
  })

  test('equal bytes write nothing: the file keeps its time and its number', async () => {
    const { mark } = await put('- a')
    const before = fs.statSync(path, { bigint: true })
    expect(await put('- a')).toEqual({ state: 'same', reason: null, mark })
    const after = fs.statSync(path, { bigint: true })
    expect([after.mtimeNs, after.ctimeNs, after.ino]).toEqual([before.mtimeNs, before.ctimeNs, before.ino])
    expect(await files.markOf(outside, place)).toBe(mark)
  })

  test('the mark is another one after an edit', async () => {
    const { mark } = await put('- a')
    fs.appendFileSync(path, 'x')
    expect(await files.markOf(outside, place)).not.toBe(mark)
  })
})

describe('what is left alone, with a reason', () => {
  const secret = () => join(root, 'secret.txt')
  const attacks: readonly [reason: string, what: string, prepare: () => void][] = [
    ['link', 'a link in the place of the file', () => fs.symlinkSync(secret(), path)],
    ['link', 'a link to nothing', () => fs.symlinkSync(join(root, 'nothing'), path)],
    [
      'link',
      'a link in the place of the folder',
      () => {
        fs.rmdirSync(folder)
        fs.symlinkSync(root, folder)
      },
    ],
    ['hard_linked', 'a second name of a file from elsewhere', () => fs.linkSync(secret(), path)],
    ['not_a_file', 'a folder', () => fs.mkdirSync(path)],
    ['too_large', 'a file of more than a megabyte', () => fs.writeFileSync(path, 'x'.repeat(1_048_577))],
    ['marker_lone', 'a lone marker', () => fs.writeFileSync(path, section().split('\n')[0] ?? '')],
    [
      'marker_reversed',
      'reversed markers',
      () => fs.writeFileSync(path, section().split('\n').toReversed().join('\n')),
    ],
  ]
  test.each(attacks)('%s: %s', async (reason, _, prepare) => {
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(secret(), 'secret')
    prepare()
    expect(await put('- a')).toMatchObject({ state: 'untouched', reason })
    expect(fs.readFileSync(secret(), 'utf8')).toBe('secret')
    expect(fs.readdirSync(root).toSorted()).toEqual(['7', 'secret.txt'])
  })

  test('not_a_file: a pipe, at which nobody waits', async () => {
    fs.mkdirSync(folder, { recursive: true })
    await promisify(execFile)('mkfifo', [path])
    expect(await put('- a')).toMatchObject({ state: 'untouched', reason: 'not_a_file' })
  })

  test('no_directory: the directory is missing', async () => {
    files = sharedFilesOn(join(root, 'missing'), libc)
    expect(await put('- a')).toMatchObject({ state: 'untouched', reason: 'no_directory' })
    expect(await files.markOf(outside, place)).toBeNull()
  })

  test('a link that takes the place of the file at the last moment goes back to it', async () => {
    write('# Notes\n')
    fs.writeFileSync(secret(), 'secret')
    const racing = putting(() => ['- a'])
    const exchanging = sharedFilesOn(root, libc && { ...libc, exchange: swapFirst(libc.exchange) })
    function swapFirst(exchange: Libc['exchange']): Libc['exchange'] {
      let isFirst = true
      return (...args) => {
        if (isFirst) {
          fs.rmSync(path)
          fs.symlinkSync(secret(), path)
        }
        isFirst = false
        return exchange(...args)
      }
    }
    expect(await exchanging.rewrite(outside, place, racing)).toMatchObject({
      state: 'untouched',
      reason: 'link',
    })
    expect(fs.readlinkSync(path)).toBe(secret())
    expect(fs.readFileSync(secret(), 'utf8')).toBe('secret')
  })
})

describe('a run that ends too early', () => {
  class Crash extends Error {}
  const crash = (at: 'written' | 'renamed') =>
    files
      .rewrite(
        outside,
        place,
        putting(() => ['- a'], {
          step: async (step) => {
            if (step === at) throw new Crash()
          },
        }),
      )
      .catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error
      })

  test.each(['written', 'renamed'] as const)(
    'at %s: the next one tidies up, and the file is as it should be',
    async (at) => {
      write('# Notes\n')
      await crash(at)
      expect(leftovers()).toHaveLength(1)
      await put('- a')
      expect(read()).toBe(`# Notes\n\n${section('- a')}\n`)
      expect(leftovers()).toEqual([])
    },
  )

  test('what was written into the replaced file after the crash is brought back', async () => {
    write('# Notes\n')
    await crash('renamed')
    const [left = ''] = leftovers()
    fs.appendFileSync(join(folder, left), 'late line\n')
    const replaced: string[] = []
    const seen = async (bytes: Buffer) => void replaced.push(bytes.toString())
    await files.rewrite(
      outside,
      place,
      putting(() => ['- a'], { replaced: seen }),
    )
    expect(read()).toContain('late line\n')
    expect(replaced).toContain('# Notes\nlate line\n')
    expect(leftovers()).toEqual([])
  })

  test('a program that keeps the file open for writing loses nothing', async () => {
    write('# Notes\n')
    const fd = fs.openSync(path, 'a')
    expect(await put('- a')).toMatchObject({ state: 'written' })
    fs.writeSync(fd, 'late line\n')
    fs.closeSync(fd)
    expect(read()).not.toContain('late line')
    await put('- b')
    expect(read()).toContain('late line\n')
    expect(read()).toContain('- b')
    expect(leftovers()).toEqual([])
  })
})

describe('C25: a program that writes the same file without any lock', () => {
  const times = scaled(2000, 200)
  const leastExports = scaled(200, 20)
  const program = resolve(repository, 'packages/testkit/src/rewriting-program.ts')
  const ways = ['append', 'slow append', 'rename']

  /** Runs the program, and exports without a pause until it has ended. */
  async function against(way: string, shared: SharedFiles) {
    write(`# Notes\n\n${section()}\n`)
    let isOver = false
    const running = promisify(execFile)(process.execPath, [program, path, way, String(times)]).finally(() => {
      isOver = true
    })
    let [exports, merges, busy] = [0, 0, 0]
    const counted = (...args: Parameters<typeof mergeFiles>) => {
      merges += 1
      return mergeFiles(...args)
    }
    while (!isOver || exports < leastExports) {
      exports += 1
      const lines = [`- export ${exports}`]
      const { reason } = await shared.rewrite(
        outside,
        place,
        putting(() => lines, { merge: counted }),
      )
      // A file that is never still is left for the next hour, with all that is in it.
      expect([null, 'busy']).toContain(reason)
      busy += reason === null ? 0 : 1
    }
    const { torn } = JSON.parse((await running).stdout) as { torn: number }
    await shared.rewrite(
      outside,
      place,
      putting(() => ['- the end']),
    )
    const lines = new Set(read().split('\n'))
    const lost = Array.from({ length: times }, (_, n) => `user line ${n}`).filter((line) => !lines.has(line))
    return { exports, merges, busy, torn, lost: lost.length }
  }

  test.each(ways)(
    `%s, ${times} times: no line is lost, and no file is found half written`,
    async (way) => {
      const { exports, merges, busy, ...found } = await against(way, files)
      console.log(
        `${exports} exports against ${times} times ${way}: ${merges} met at the last moment, ${busy} gave up`,
      )
      expect(found).toEqual({ torn: 0, lost: 0 })
      expect(busy).toBeLessThan(exports)
      expect(read()).toContain('- the end')
      expect(leftovers()).toEqual([])
    },
    120_000,
  )

  test('the same program finds a twin that reads, writes and renames', async () => {
    const naive: SharedFiles = {
      ...files,
      async rewrite(_, __, rewriting) {
        const next = await rewriting.next(fs.readFileSync(path))
        if ('reason' in next) return { state: 'untouched', reason: next.reason, mark: null }
        fs.writeFileSync(join(root, 'new'), next.bytes)
        fs.renameSync(join(root, 'new'), path)
        await new Promise(setImmediate)
        return { state: 'written', reason: null, mark: null }
      },
    }
    const lost = [(await against('append', naive)).lost, (await against('rename', naive)).lost]
    expect(Math.max(...lost)).toBeGreaterThan(0)
  })
})
