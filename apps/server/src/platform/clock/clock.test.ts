import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fileClock, systemClock } from '#platform/clock/clock.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crewhall-clock-'))
  file = join(folder, 'clock')
})
afterEach(() => rmSync(folder, { recursive: true }))

const show = (offset: number) => {
  writeFileSync(`${file}.new`, String(offset))
  renameSync(`${file}.new`, file)
}
/** How far the clock is from the machine's, in whole seconds. */
const ahead = (now: Date) => Math.round((now.getTime() - Date.now()) / 1000) + 0 // never -0

test('the system clock tells the time of the machine', () => {
  expect(ahead(systemClock.now())).toBe(0)
})

test('a file clock follows every change of its file, however quickly they come', () => {
  const clock = fileClock(file)
  for (const seconds of [0, 3600, 7200, -60, 86_400 * 365]) {
    show(seconds * 1000)
    expect(ahead(clock.now())).toBe(seconds)
  }
})

test('two clocks on one file tell the same time', () => {
  const clocks = [fileClock(file), fileClock(file)]
  show(5_000_000)
  expect(clocks.map((clock) => ahead(clock.now()))).toEqual([5000, 5000])
})

test('a file clock without its file tells the time of the machine', () => {
  const clock = fileClock(file)
  expect(ahead(clock.now())).toBe(0)
  show(1_000_000)
  expect(ahead(clock.now())).toBe(1000)
  rmSync(file)
  expect(ahead(clock.now())).toBe(0)
})
