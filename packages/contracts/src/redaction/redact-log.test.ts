import { plantedSecrets } from '@crewhall/testkit/planted-secrets.ts'
import { expect, test } from 'vitest'
import { redactLog } from './redact-log.ts'

test.each(plantedSecrets)('$name is taken out of a line of JSON', ({ text, values }) => {
  const lines = [{ msg: 'before' }, { msg: 'quoted', error: text }, { msg: 'after' }].map((line) =>
    JSON.stringify(line),
  )
  const left = redactLog(lines.join('\n'))
  for (const value of values) expect(left).not.toContain(value)
  expect(left.split('\n')).toEqual([lines[0], expect.stringContaining('[redacted: '), lines[2]])
  expect(redactLog(left)).toBe(left)
})

test('a field whose name says that it is a secret, and what is no JSON, are looked at too', () => {
  const secret = 'hunter-2-hunter'
  for (const line of [JSON.stringify({ password: secret }), `password=${secret}`, `{password: "${secret}"`])
    expect(redactLog(line)).not.toContain(secret)
})

test('other lines stay as they are', () => {
  const text = '{"level":"info","msg":"registered","env_id":"1b0e"}\nno JSON\n'
  expect(redactLog(text)).toBe(text)
})
