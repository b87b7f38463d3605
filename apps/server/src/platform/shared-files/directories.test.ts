import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { roundsFor, scaled } from '@crewhall/testkit/rounds.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { directoriesOn } from '#platform/shared-files/directories.ts'

const outside = { is_outside: true } as const
const place = { folders: ['7', 'hires'], name: 'one' }
const content = {
  files: [
    { name: 'PERSONA.md', content: 'who' },
    { name: 'WORKING.md', content: 'how' },
  ],
  folders: [['sessions'], ['more', 'deep']],
}
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'directories-'))
})
let other: Worker | undefined
afterEach(async () => {
  await other?.terminate()
  other = undefined
  rmSync(root, { recursive: true, force: true })
})

const make = (fence = 1, at = place, step: (step: string) => Promise<void> = async () => {}) =>
  directoriesOn(root).make(outside, at, content, { fence, step })
const remove = (most?: number) => directoriesOn(root, most).remove(outside, place)
/** Everything below the root, links not followed. */
const found = () =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(
      (each) => !lstatSync(join(root, each)).isDirectory() || readdirSync(join(root, each)).length === 0,
    )
    .toSorted()
const whole = [
  '7/hires/one/PERSONA.md',
  '7/hires/one/WORKING.md',
  '7/hires/one/more/deep',
  '7/hires/one/sessions',
]

test('a directory is made with its files and folders, and made again changes nothing', async () => {
  expect(await make()).toBe('made')
  expect(found()).toEqual(whole)
  writeFileSync(join(root, '7/hires/one/PERSONA.md'), 'changed by its owner')
  expect(await make(2)).toBe('there')
  expect(found()).toEqual(whole)
  expect(readFileSync(join(root, '7/hires/one/PERSONA.md'), 'utf8')).toBe('changed by its owner')
})

test('nobody sees a part of it, and the next try clears what one has left', async () => {
  const crash = async (step: string) => {
    if (step === 'written') throw new Error('crash')
  }
  await expect(make(1, place, crash)).rejects.toThrow('crash')
  expect(existsSync(join(root, '7/hires/one'))).toBe(false)
  expect(readdirSync(join(root, '7/hires'))).toEqual(['.one.1.tmp'])
  expect(await make(2)).toBe('made')
  expect(found()).toEqual(whole)
})

test('a try that was overtaken while it slept puts nothing in place and leaves nothing', async () => {
  const overtaken = make(1, place, async (step) => {
    if (step === 'written') expect(await make(2)).toBe('made')
  })
  expect(await overtaken).toEqual({ reason: 'busy' })
  expect(found()).toEqual(whole)
  const late = make(3, place, async (step) => {
    if (step === 'written') await remove()
  })
  rmSync(join(root, '7/hires/one'), { recursive: true })
  expect(await late).toEqual({ reason: 'busy' })
  expect(found()).toEqual(['7/hires'])
})

test('a try that finds a later one under way leaves it alone', async () => {
  const later = make(5, place, async (step) => {
    if (step === 'written') expect(await make(4)).toEqual({ reason: 'busy' })
  })
  expect(await later).toBe('made')
  expect(found()).toEqual(whole)
})

test('links are never followed, whichever name they stand under', async () => {
  const foreign = join(root, '8')
  mkdirSync(foreign)
  writeFileSync(join(foreign, 'kept.txt'), 'kept')
  const under = (at: string) => symlinkSync(foreign, join(root, at))
  under('7')
  expect(await make()).toEqual({ reason: 'link' })
  expect(await remove()).toBe(true)
  rmSync(join(root, '7'))
  mkdirSync(join(root, '7'))
  under('7/hires')
  expect(await make()).toEqual({ reason: 'link' })
  expect(await remove()).toBe(true)
  rmSync(join(root, '7/hires'))
  mkdirSync(join(root, '7/hires'))
  under('7/hires/one')
  expect(await make()).toEqual({ reason: 'link' })
  expect(await remove()).toBe(true)
  under('7/hires/.one.1.tmp')
  under('7/hires/.one.gone')
  expect(await make(2)).toBe('made')
  under('7/hires/one/sessions/out')
  under('7/hires/one/more/deep/out')
  expect(await remove()).toBe(true)
  expect(readdirSync(foreign)).toEqual(['kept.txt'])
  expect(found()).toEqual(['7/hires', '8/kept.txt'])
})

test('a file where a folder should be is left as it is', async () => {
  mkdirSync(join(root, '7/hires'), { recursive: true })
  writeFileSync(join(root, '7/hires/one'), 'theirs')
  expect(await make()).toEqual({ reason: 'link' })
  expect(found()).toEqual(['7/hires/one'])
})

test('a root that is missing is told, and nothing is made in its place', async () => {
  rmSync(root, { recursive: true })
  expect(await make()).toEqual({ reason: 'no_directory' })
  await expect(remove()).rejects.toMatchObject({ reason: 'no_directory' })
  expect(existsSync(root)).toBe(false)
})

test('a removal takes along what tries have left, and bears repetition', async () => {
  await make()
  mkdirSync(join(root, '7/hires/.one.9.tmp/sub'), { recursive: true })
  writeFileSync(join(root, '7/hires/.one.9.tmp/sub/a'), '')
  mkdirSync(join(root, '7/hires/.one.gone'))
  writeFileSync(join(root, '7/hires/.one.gone/a'), '')
  await make(1, { ...place, name: 'one.2' })
  expect(await remove()).toBe(true)
  expect(readdirSync(join(root, '7/hires'))).toEqual(['one.2'])
  expect(await remove()).toBe(true)
  rmSync(join(root, '7'), { recursive: true })
  expect(await remove()).toBe(true)
})

test('deep, many and unreadable names are removed in portions, out of sight from the first one on', async () => {
  await make()
  const top = join(root, '7/hires/one')
  let deep = top
  for (let n = 0; n < 300; n += 1) {
    deep = join(deep, 'sub')
    mkdirSync(deep)
  }
  for (let n = 0; n < 300; n += 1) writeFileSync(join(top, `${n}.txt`), '')
  const nameless = Buffer.concat([Buffer.from(`${top}/sessions/`), Buffer.from([0xff, 0xfe])])
  mkdirSync(nameless)
  writeFileSync(Buffer.concat([nameless, Buffer.from('/'), Buffer.from([0xff])]), '')
  let calls = 0
  while (!(await remove(200))) {
    calls += 1
    expect(existsSync(top)).toBe(false)
  }
  expect(calls).toBeGreaterThan(2)
  expect(readdirSync(join(root, '7/hires'))).toEqual([])
})

test('a directory that is filled while it is removed ends the call at its limit', async () => {
  await make()
  const source = `
    const { writeFileSync } = require('node:fs')
    const { join } = require('node:path')
    const { workerData: { root } } = require('node:worker_threads')
    const { openSync } = require('node:fs')
    const fd = openSync(join(root, '7/hires/one'), 'r')
    require('node:worker_threads').parentPort.postMessage('ready')
    for (let n = 0; ; n += 1) try { writeFileSync('/proc/self/fd/' + fd + '/' + n, '') } catch {}`
  other = new Worker(source, { eval: true, workerData: { root } })
  await once(other, 'message')
  await remove(500)
  expect(existsSync(join(root, '7/hires/one'))).toBe(false)
  await other.terminate()
  while (!(await remove())) expect(existsSync(join(root, '7/hires/one'))).toBe(false)
  expect(readdirSync(join(root, '7/hires'))).toEqual([])
})

const rounds = roundsFor(200, 0.5)

test(`of eight that make the same directory at once, ${rounds} times, one does, and nothing else is left`, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const made = await Promise.all(Array.from({ length: 8 }, (_, n) => make(round * 8 + n)))
    const results = made.map((each) => (typeof each === 'string' ? each : each.reason))
    expect(results.filter((each) => each === 'made')).toHaveLength(1)
    expect(results.filter((each) => !['made', 'there', 'busy'].includes(each))).toEqual([])
    // Some were overtaken in the middle of their work; the next call clears up.
    expect(await make(round * 8 + 8)).toBe('there')
    expect(found()).toEqual(whole)
    await remove()
  }
})

const passes = scaled(500, 60)

/** Swaps the folder for a link to that of another workspace and back, as fast as it can. */
async function swapping(): Promise<void> {
  mkdirSync(join(root, '8'))
  writeFileSync(join(root, '8/kept.txt'), '')
  mkdirSync(join(root, '7/hires'), { recursive: true })
  const source = `
    const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
    const { workerData: { folder, aside, foreign } } = require('node:worker_threads')
    for (;;) {
      try { renameSync(folder, aside) } catch { continue }
      try { symlinkSync(foreign, folder); unlinkSync(folder) } catch {}
      try { renameSync(aside, folder) } catch {}
    }`
  const workerData = {
    folder: join(root, '7/hires'),
    aside: join(root, '7/aside'),
    foreign: join(root, '8'),
  }
  other = new Worker(source, { eval: true, workerData })
  await once(other, 'online')
}
const behindLink = () => readdirSync(join(root, '8'))

test(`a folder that is swapped for a link all the time receives nothing behind the link, ${passes} passes`, async () => {
  await swapping()
  let done = 0
  for (let pass = 1; pass <= passes || done === 0; pass += 1) {
    if ((await make(pass)) === 'made') done += 1
    await remove().catch(() => false)
    expect(behindLink()).toEqual(['kept.txt'])
  }
})

test('a writer that looks first and writes by path afterwards is led astray by the same swapping', async () => {
  await swapping()
  const folder = join(root, '7/hires')
  const writeByPath = (n: number) => {
    try {
      if (lstatSync(folder).isDirectory()) mkdirSync(join(folder, String(n)))
    } catch {
      // The folder was away at this moment.
    }
  }
  for (let n = 0; n < 5_000_000 && behindLink().length === 1; n += 1) writeByPath(n)
  expect(behindLink().length).toBeGreaterThan(1)
})
