import { execFileSync, spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refusalScript } from './refusal-script.rules.ts'

const run = (script: string) => spawnSync('bash', ['-s'], { input: script, encoding: 'utf8' })

test('the script says why on one line, and fails', () => {
  const { status, stdout, stderr } = run(refusalScript('it\'s `gone` $(touch x) "now"\n\u001b[2J; exit 0'))
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toBe('crewhall: it\'s `gone` $(touch x) "now" [2J; exit 0\n')
})

test('cut anywhere before its end it does nothing', () => {
  const script = refusalScript('Gone')
  for (let end = 0; end < script.lastIndexOf('}'); end += 1) {
    const { stdout, stderr } = run(script.slice(0, end))
    // The shell may quote the line that it does not understand.
    expect([stdout, /^crewhall:/m.test(stderr)]).toEqual(['', false])
  }
})

test('whatever the reason is, it is a script', () => {
  // Code points of any kind: the strings of the generator are made from tables that take seconds to build.
  const reasons = fc.sample(fc.array(fc.integer({ min: 1, max: 0x10ffff }), { maxLength: 50 }), 100)
  const all = reasons.map((each) => refusalScript(String.fromCodePoint(...each).toWellFormed())).join('')
  execFileSync('bash', ['-n'], { input: all })
})
